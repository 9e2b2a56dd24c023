// The decisions of `npm start`. Everything else is passed in as ports, so that every branch can be tested on any machine.

import type { TargetName } from '../build/targets.ts'
import { chooseHome, type Home, type Machine, withoutDesktop, type WithoutDesktop } from './choose-home.ts'
import type { ElectronBinary } from './electron-binary.ts'
import type { StartOptions } from './start-options.ts'
import type { ElectronRun } from './run-electron.ts'

export type Ports = {
  machine(): Machine
  electron(): ElectronBinary
  /** Why the download host cannot be reached. */
  whyUnreachable(): Promise<string | undefined>
  /** Why it failed; undefined if it succeeded. */
  download(): Promise<string | undefined>
  build(names: readonly TargetName[]): Promise<void>
  runDesktop(executable: string): Promise<ElectronRun>
  /** Resolves to the exit code. */
  runBrowser(why: string | undefined): Promise<number>
  print(line: string): void
  printError(line: string): void
}

export const start = async (options: Pick<StartOptions, 'home'>, ports: Ports): Promise<number> => {
  const home = await decide(options.home, ports)
  if (home.kind !== 'desktop') return withoutWindow(home, ports)
  await ports.build(['sdk', 'dashboard', 'desktop'])
  const run = await ports.runDesktop(home.executable)
  return run.kind === 'ended' ? run.exitCode : withoutWindow(withoutDesktop(options.home, run.why), ports)
}

const withoutWindow = async (home: WithoutDesktop, ports: Ports): Promise<number> => {
  if (home.kind === 'browser') {
    await ports.build(['sdk', 'dashboard'])
    return ports.runBrowser(home.why)
  }
  ports.printError(`Desktop window unavailable: ${home.why}.`)
  return 1
}

const decide = async (wanted: StartOptions['home'], ports: Ports): Promise<Exclude<Home, { kind: 'download' }>> => {
  const home = chooseHome(wanted, ports.machine(), ports.electron())
  if (home.kind !== 'download') return home
  const unreachable = await ports.whyUnreachable()
  if (unreachable !== undefined) return withoutDesktop(wanted, `${home.why} and ${unreachable}`)
  ports.print(`Downloading Electron ${home.version}, once…`)
  const failure = await ports.download()
  if (failure !== undefined) return withoutDesktop(wanted, `${home.why} and ${failure}`)
  const again = chooseHome(wanted, ports.machine(), ports.electron())
  return again.kind === 'download' ? withoutDesktop(wanted, `${again.why}, even after a download`) : again
}
