// The build targets and their inputs. `wes` is not among them, because it updates its bundle itself.

export type TargetName = 'sdk' | 'dashboard' | 'desktop'

export type Target = {
  /** For messages. */
  readonly title: string
  /** Patterns of files whose change makes the build stale. */
  readonly inputs: readonly string[]
  /** The file whose existence shows that there is a build. */
  readonly output: string
  /** The arguments for Node. */
  readonly command: readonly string[]
}

/** Contains the versions of the packages in a build, and of the build tools. */
const PACKAGES = 'package-lock.json'
const SDK_INPUTS = [
  'src-sdk/**/*.ts',
  'src-runtime/{engine,shared}/*.ts',
  'src-sdk/tsconfig.build.json',
  'tsconfig.base.json',
  PACKAGES,
]
const VITE_INPUTS = [
  'electron.vite.config.ts',
  'scripts/runtime-files.ts',
  'scripts/build/{build-with-vite,node-bundles}.ts',
  PACKAGES,
]

export const TARGETS: Readonly<Record<TargetName, Target>> = {
  sdk: {
    title: 'the client',
    inputs: SDK_INPUTS,
    output: 'src-sdk/dist/src-sdk/index.js',
    command: ['node_modules/typescript/bin/tsc', '-p', 'src-sdk/tsconfig.build.json'],
  },
  dashboard: {
    title: 'the dashboard',
    inputs: ['src-renderer/**/*.*', 'src-sdk/**/*.ts', 'src-main/preload/**/*.ts', 'resources/**/*.*', ...VITE_INPUTS],
    output: 'out/renderer/index.html',
    command: ['scripts/build/build-with-vite.ts', 'renderer'],
  },
  // Contains the client's build, so build the client first.
  desktop: {
    title: 'the desktop app',
    inputs: ['src-{main,runtime}/**/*.*', 'resources/**/*.*', ...SDK_INPUTS, ...VITE_INPUTS],
    output: 'out/main/src-main/main.js',
    command: ['scripts/build/build-with-vite.ts', 'main', 'preload'],
  },
}

/** Files that belong to no build. */
export const TEST_FILE = /\.(test|spec|test-support)\.[a-z]+$/
