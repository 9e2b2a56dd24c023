// uPlot formats numbers in the browser's language, and fails to load if `Intl` does not know it. Where LANG is C.UTF-8,
// WebKitGTK calls the language "C".

/** Before uPlot is loaded. The page's own numbers and times are in English, too. */
export const replaceInvalidLanguage = (): void => {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  }
}
