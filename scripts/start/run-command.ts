// The common part of `npm start` and `npm run dev`: parses the arguments, and sets the exit code.

import { statSync } from 'node:fs'
import { DEFAULT_PORT } from '../../src-runtime/shared/default-port.ts'
import { realPath } from '../../src-runtime/shared/real-path.ts'
import { parseStart, type StartOptions } from './start-options.ts'

const usage = (command: string): string => `${command} -- [--desktop | --browser] [--project DIR] [--port PORT]

  --desktop      open the desktop window, or fail
  --browser      open the dashboard in the browser
  --project DIR  the project’s folder (default: the sample project)
  --port PORT    the runtime’s port (default: ${DEFAULT_PORT})`

export const print = (line: string): void => console.log(line)
export const printError = (line: string): void => console.error(line)

export const runCommand = async (command: string, run: (options: StartOptions) => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await answer(command, run)
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}

const answer = async (command: string, run: (options: StartOptions) => Promise<number>): Promise<number> => {
  // npm runs scripts in the repository's folder; INIT_CWD is the user's folder.
  const request = parseStart(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd(), process.env)
  switch (request.kind) {
    case 'help':
      print(usage(command))
      return 0
    case 'wrong':
      printError(`${request.message}\n\n${usage(command)}`)
      return 2
    case 'run': {
      const { project } = request.options
      if (project === undefined) return run(request.options)
      if (isFolder(project)) return run({ ...request.options, project: realPath(project) })
      printError(`--project: ${project} is not a folder`)
      return 2
    }
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
