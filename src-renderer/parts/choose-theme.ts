import { desktop, type Theme } from '../desktop.ts'
import { usePreferences } from '../stores/preferences.ts'
import { askDesktop } from './ask-desktop.ts'

/** For this page, and for the desktop app, which stores it. */
export const chooseTheme = (theme: Theme): void => {
  usePreferences.setState({ theme })
  askDesktop('The theme was not saved', () => desktop?.settings.change({ theme }))
}
