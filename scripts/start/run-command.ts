// What `npm start` and `npm run dev` have in common: from the command line to a wish, and from the outcome to an exit code.

import { realpathSync, statSync } from 'node:fs'
import { readRequest, type Wish } from './read-wish.ts'

const usage = (command: string): string => `${command} -- [--desktop | --browser] [--project DIR] [--port PORT]

  --desktop      a desktop window or nothing
  --browser      the dashboard in the browser
  --project DIR  the folder of Programs to run; the sample project without it
  --port PORT    of the runtime; 3477 without it`

/** For stdout. */
export const tell = (line: string): void => console.log(line)
/** For stderr. */
export const complain = (line: string): void => console.error(line)

export const runCommand = async (command: string, run: (wish: Wish) => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await answer(command, run)
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}

const answer = async (command: string, run: (wish: Wish) => Promise<number>): Promise<number> => {
  // npm runs scripts in the repository's folder, wherever the user is.
  const request = readRequest(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd())
  switch (request.kind) {
    case 'help':
      tell(usage(command))
      return 0
    case 'wrong':
      complain(`${request.message}\n\n${usage(command)}`)
      return 2
    case 'run': {
      const { project } = request.wish
      if (project === undefined) return run(request.wish)
      if (isFolder(project)) return run({ ...request.wish, project: realpathSync(project) })
      complain(`--project: ${project} is not a folder`)
      return 2
    }
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
