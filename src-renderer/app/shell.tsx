// What surrounds every screen: the rail with its navigation, the connection, the runtime, and whatever is open on top.

import { Outlet } from '@tanstack/react-router'
import { DesktopBridge } from './desktop-bridge.tsx'
import { Dialogs } from './dialogs.tsx'
import { GlobalShortcuts } from './global-shortcuts.tsx'
import { LostBanner } from './lost-banner.tsx'
import { Rail } from './rail.tsx'
import { RuntimeTrouble } from './runtime-trouble.tsx'

export const Shell = () => (
  <div className="flex h-full">
    <a
      href="#main"
      className="absolute -top-20 left-2 z-50 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:top-2"
    >
      Skip to the content
    </a>
    <Rail />
    <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
      <RuntimeTrouble />
      <LostBanner />
      <Outlet />
    </main>
    <Dialogs />
    <GlobalShortcuts />
    <DesktopBridge />
  </div>
)
