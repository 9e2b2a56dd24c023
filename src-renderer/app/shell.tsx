// The frame of every screen: navigation, connection, runtime, and the open dialog.

import { lazy, type ReactNode, Suspense, useRef } from 'react'
import { useConnection } from '../api/connection.ts'
import { desktop } from '../desktop.ts'
import { connectionLook } from '../parts/connection-look.ts'
import { classNames } from '../ui/class-names.ts'
import { DesktopBridge } from './desktop-bridge.tsx'
import { Dialogs } from './dialogs.tsx'
import { DropFiles } from './drop-files.tsx'
import { GlobalShortcuts } from './global-shortcuts.tsx'
import { LostNotice } from './lost-notice.tsx'
import { Rail } from './rail.tsx'
import { RuntimeTrouble } from './runtime-trouble.tsx'
import { ScreenTitle } from './screen-title.tsx'
import { useFocusKept } from './use-focus-kept.ts'
import { usePageScroll } from './use-page-scroll.ts'

const FindBar = lazy(async () => ({ default: (await import('./find/find-bar.tsx')).FindBar }))

export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const page = useRef<HTMLDivElement>(null)
  const main = useRef<HTMLElement>(null)
  const onScroll = usePageScroll(page, main)
  useFocusKept()
  return (
    <div
      ref={page}
      onScroll={onScroll}
      className="flex h-full max-sm:clear-of-notice max-sm:flex-col max-sm:overflow-y-auto"
    >
      <ScreenTitle />
      <a
        href="#main"
        className="absolute -top-20 left-2 z-50 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:top-2"
      >
        Skip to the content
      </a>
      <Rail />
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        onScroll={onScroll}
        className="min-w-0 flex-1 outline-none max-sm:shrink-0 max-sm:grow-0 max-sm:basis-auto sm:short:clear-of-notice sm:short:overflow-y-auto"
      >
        <div className="flex h-full flex-col max-sm:h-[52rem] sm:short:h-[36rem]">
          <RuntimeTrouble />
          {children}
        </div>
      </main>
      <LostNotice />
      <DropFiles />
      <Dialogs />
      <GlobalShortcuts />
      <DesktopBridge />
      {desktop !== undefined && (
        <Suspense>
          <FindBar />
        </Suspense>
      )}
      <ProductionEdge />
    </div>
  )
}

/** The badge says "Production" too: a colour alone would not be enough. */
const ProductionEdge = () => {
  const { isProduction, colour } = useConnection()
  if (!isProduction) return null
  return (
    <div
      aria-hidden="true"
      data-production-edge
      className={classNames('pointer-events-none fixed inset-0 z-50 border-3', connectionLook(colour).edge)}
    />
  )
}
