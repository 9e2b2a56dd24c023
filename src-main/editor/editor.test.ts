import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { editorCommand } from './editor-command.ts'
import { createOpenInEditor } from './open-in-editor.ts'

const PLACE = { path: '/p/a b.ts', line: 3, column: 7 }
const decide = (
  env: Readonly<Record<string, string>>,
  commands: readonly string[] = [],
  schemes: readonly string[] = [],
  platform: NodeJS.Platform = 'linux',
) =>
  editorCommand(PLACE, {
    env,
    platform,
    hasCommand: (name) => commands.includes(name),
    hasScheme: (scheme) => schemes.includes(scheme),
  })

describe('the user’s editor', () => {
  it.each([
    [{ VISUAL: 'code --wait', EDITOR: 'subl' }, 'code', ['--goto', '/p/a b.ts:3:7']],
    [{ EDITOR: '/opt/zed' }, '/opt/zed', ['/p/a b.ts:3:7']],
    [{ EDITOR: '"/my apps/code" -w' }, '/my apps/code', ['--goto', '/p/a b.ts:3:7']],
    [{ EDITOR: 'idea' }, 'idea', ['--line', '3', '--column', '7', '/p/a b.ts']],
    [{ EDITOR: 'emacsclient' }, 'emacsclient', ['-n', '+3:7', '/p/a b.ts']],
  ] as const)('is what the environment names: %j', (env, command, args) => {
    expect(decide(env)).toEqual({ kind: 'command', command, args })
  })

  it('is an installed one if the environment names none, or one that needs a terminal', () => {
    expect(decide({ EDITOR: 'vim' }, ['subl', 'cursor'])).toMatchObject({ command: 'cursor' })
    expect(decide({}, ['code'])).toMatchObject({ command: 'code' })
    expect(decide({ EDITOR: 'toString' }, ['code'])).toMatchObject({ command: 'code' })
  })

  it('is opened with a link if its command is a script', () => {
    expect(decide({ EDITOR: 'code' }, ['code'], ['vscode'], 'win32')).toEqual({
      kind: 'url',
      url: 'vscode://file/p/a%20b.ts:3:7',
    })
    const place = { path: 'C:\\p\\a.ts', line: 1, column: 2 }
    const system = { env: {}, platform: 'win32', hasCommand: () => false, hasScheme: () => true } as const
    expect(editorCommand(place, system)).toEqual({ kind: 'url', url: 'vscode://file/C:/p/a.ts:1:2' })
  })

  it('is the system’s default if no other is found', () => {
    expect(decide({})).toEqual({ kind: 'default' })
  })
})

describe('opening a file in the editor', () => {
  const rig = () => {
    const home = temporaryFolder('editor')
    const project = join(home, 'project')
    mkdirSync(join(project, 'programs'), { recursive: true })
    writeFileSync(join(project, 'programs/a.ts'), '')
    writeFileSync(join(project, 'run.sh'), '')
    writeFileSync(join(home, 'secret.json'), '{}')
    symlinkSync(join(home, 'secret.json'), join(project, 'link.json'))
    const editor = join(home, 'code')
    writeFileSync(
      editor,
      `#!/bin/sh\nprintf '%s\\n' "$@" > "${home}/called.part"; mv "${home}/called.part" "${home}/called"\n`,
    )
    chmodSync(editor, 0o755)
    const openPath = vi.fn(async () => '')
    const showItem = vi.fn()
    const open = (
      path: string,
      env: NodeJS.ProcessEnv = { EDITOR: editor, PATH: process.env['PATH'] },
      platform: NodeJS.Platform = process.platform,
    ) =>
      createOpenInEditor({
        projectFolder: () => project,
        env,
        platform,
        openPath,
        showItem,
        openUrl: async () => undefined,
        hasScheme: () => false,
      })({ path, line: 2, column: 5 })
    return { home, project, open, openPath, showItem, editor }
  }

  it.each(['programs/a.ts', './programs/../programs/a.ts'])('opens it at the line: %s', async (path) => {
    const { home, project, open } = rig()
    await open(path)
    await vi.waitUntil(() => existsSync(join(home, 'called')))
    expect(readFileSync(join(home, 'called'), 'utf8')).toBe(`--goto\n${join(project, 'programs/a.ts')}:2:5\n`)
  })

  it('accepts an absolute path within the project, and falls back to the system’s default', async () => {
    const { project, open, openPath } = rig()
    await open(join(project, 'programs/a.ts'), {})
    expect(openPath).toHaveBeenCalledWith(join(project, 'programs/a.ts'))
  })

  it('shows the file in its folder on Windows, which would run a script when opening it', async () => {
    const { project, open, openPath, showItem } = rig()
    writeFileSync(join(project, 'programs/a.js'), '')
    await open('programs/a.js', {}, 'win32')
    expect(showItem).toHaveBeenCalledWith(join(project, 'programs/a.js'))
    expect(openPath).not.toHaveBeenCalled()
  })

  it.each(['../secret.json', 'link.json', 'run.sh', 'programs', 'none.ts', '/etc/passwd', '.'])(
    'is refused for what is not a source file of the project: %s',
    async (path) => {
      const { open, openPath } = rig()
      await expect(open(path, {})).rejects.toMatchObject({ code: 'not_in_project' })
      expect(openPath).not.toHaveBeenCalled()
    },
  )

  it('reports that the editor cannot be started', async () => {
    const { open, editor } = rig()
    chmodSync(editor, 0o644)
    await expect(open('programs/a.ts')).rejects.toMatchObject({ code: 'editor_failed' })
  })
})
