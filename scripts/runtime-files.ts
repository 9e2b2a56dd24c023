// What a build of the runtime consists of besides its modules: found by its place beside them, in the sources as in
// every build. For the desktop app and for the bundle that `wes` runs.

/** Processes of their own, and a thread of one. */
export const CHILD_PROCESSES = [
  'src-runtime/sandbox/host-main.ts',
  'src-runtime/source/evaluator-main.ts',
  'src-runtime/effects/effect-host.ts',
  'src-runtime/effects/host/effect-watchdog.ts',
]

/** What every bundle of a Program contains. */
export const SDK = 'src-sdk/index.ts'

/** Patterns of what is read. */
export const FILES = ['src-runtime/sandbox/guest/*.js', 'src-sdk/package.json', 'resources/status-page/**/*.*']
