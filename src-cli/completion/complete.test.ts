import { execFileSync } from 'node:child_process'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { json } from '../../src-sdk/scripted-server.test-support.ts'
import { createCommands } from '../commands.ts'
import { runsAgainst } from '../runs-against.test-support.ts'
import { processTerminal } from '../terminal.ts'
import { wesHere } from '../wes-here.test-support.ts'
import { isKnown, pathOf } from './complete.ts'
import { completionScript } from './completion-script.ts'

const against = runsAgainst('local')
const words = (out: string): readonly string[] => out.split('\n').flatMap((line) => line.split('\t')[0] || [])

it.each<[string, readonly string[], readonly string[]]>([
  ['commands', ['st'], ['start']],
  ['commands behind options', ['--url', 'http://x', 'triggers', 'add', 's'], ['schedule']],
  ['no hidden command', ['comp'], ['completion']],
  ['options', ['start', 'p', '--i'], ['--input', '--iso', '--idempotency-key']],
  [
    'options where no argument is left',
    ['whoami', ''],
    ['--url', '--token', '--project-id', '--json', '--iso', '--help'],
  ],
  ['no options behind --', ['send', '--', '--j'], []],
  ['choices', ['executions', '--status', 'ca'], ['cancelling', 'cancelled']],
  ['choices behind =', ['executions', '--status=fa'], ['--status=failed']],
  ['choices behind an open quote', ['executions', '--status', "'fa"], ['failed']],
  ['choices behind = and an open quote', ['executions', '--status="fa'], ['--status=failed']],
  ['options behind a quoted word', ['"start"', 'p', '--i'], ['--input', '--iso', '--idempotency-key']],
  ['choices of arguments', ['completion', ''], ['bash', 'zsh', 'fish']],
  ['files', ['deploy', 'a', ''], [':files']],
  ['files behind @', ['start', 'p', '--input', '@fi'], [':files']],
  ['folders', ['build', '--out=x'], [':folders']],
  ['options of a command by its other name', ['versions', 'rm', '--u'], ['--url']],
  ['commands to help with', ['help', 'triggers', 'add', 'w'], ['webhook']],
])('completes %s', async (_what, line, expected) => {
  const { out, code } = await wesHere(['complete', '--', ...line])
  expect({ words: words(out).toSorted(), code }).toEqual({ words: expected.toSorted(), code: 0 })
})

const waiting = { id: 'exe_1', programId: 'p', status: 'waiting', createdAt: '2026-01-01T00:00:00.000Z' }

it.each<[string, readonly string[], string, unknown, string]>([
  ['Programs', ['start', ''], '/v1/programs?limit=200', { id: 'p', description: 'Two\nlines' }, 'p\tTwo lines\n'],
  [
    'Executions',
    ['cancel', 'exe'],
    '/v1/executions?limit=50&status=queued&status=running&status=waiting&status=cancelling&q=exe',
    waiting,
    'exe_1\tp waiting, 2026-01-01T00:00:00.000Z\n',
  ],
  [
    'projects',
    ['programs', '--project-id=pr'],
    '/v1/projects',
    { id: 'prj_1', name: 'One' },
    '--project-id=prj_1\tOne\n',
  ],
])('completes %s of the service', async (_what, line, url, item, expected) => {
  const { out, server } = await against(json(200, { items: [item], nextCursor: null }), ['complete', '--', ...line])
  expect(out).toBe(expected)
  expect(server.seen.map((request) => request.url)).toEqual([url])
})

it('completes events that the Execution in the line awaits, in its project, but none that would be an option or a key', async () => {
  const names = ['approved', '--url=http://x', 'a\nb', 'a\tb', 'a\u001b[31m', '']
  const execution = { ...waiting, waitingFor: names.map((name) => ({ kind: 'event', name, since: 'now' })) }
  const line = ['send', '--project-id', 'prj_1', 'exe_1', '']
  const { out, server } = await against(json(200, execution), ['complete', '--', ...line])
  expect(out).toBe('approved\tawaited since now\n')
  expect(server.seen[0]).toMatchObject({
    url: '/v1/executions/exe_1',
    headers: { 'x-service-project-id': 'prj_1' },
  })
})

it('completes labels of Executions, each once', async () => {
  const items = ['Order 7', 'Order 8', 'Order 7', 'last Order'].map((label) => ({ ...waiting, label }))
  const line = ['executions', '--label', 'Ord']
  const { out, server } = await against(json(200, { items, nextCursor: null }), ['complete', '--', ...line])
  expect(out).toBe('Order 7\tp waiting\nOrder 8\tp waiting\n')
  expect(server.seen[0]?.url).toBe('/v1/executions?limit=50&label=Ord')
})

it('completes nothing, silently, where the service refuses or answers what is no list', async () => {
  for (const answer of [json(401, { error: { code: 'unauthorized', message: 'no' } }), json(200, {})]) {
    expect(await against(answer, ['complete', '--', 'start', ''])).toMatchObject({ code: 0, out: '', err: '' })
  }
})

it('asks the service for every id that a command takes, but not for tokens', () => {
  const unknown = (command: Command): readonly string[] => [
    ...command.registeredArguments
      .filter((argument) => /^(?:ID|PROGRAM)$/.test(argument.name()) && !isKnown(command, argument))
      .map((argument) => `${pathOf(command)} ${argument.name()}`),
    ...command.commands.flatMap(unknown),
  ]
  const terminal = processTerminal(process.stdout, process.stderr, {})
  const none = { outcome: { exitCode: 0 }, version: '', onUsageError: () => {}, firstHost: undefined }
  expect(unknown(createCommands({ terminal, ...none }))).toEqual(['tokens revoke ID'])
})

it('in bash passes whole words up to the cursor, and replaces, in quotes, what bash has split off', () => {
  // In place of `wes`, prints each of its arguments as a word to complete.
  const script = `${completionScript('bash', ['printf', String.raw`%s\t\n`, '--url=http://a$(b)'])}
    COMP_LINE='wes executions --url=http://a --all' COMP_POINT=29
    COMP_WORDS=(wes executions --url = http : //a --all) COMP_CWORD=6
    _wes wes //a 2>/dev/null
    printf '<%s>' "\${COMPREPLY[@]}"`
  const passed = '<complete><--><executions><//a>'
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe(String.raw`<//a\$\(b\)>${passed}`)
})

it('in bash replaces what is behind an open quote with words that need no other quotes', () => {
  const script = `${completionScript('bash', ['printf', String.raw`%s\t\n`, '--url=a b', "--url=a'b"])}
    COMP_LINE="wes executions --url='a" COMP_POINT=23
    COMP_WORDS=(wes executions --url = "'a") COMP_CWORD=4
    _wes wes a 2>/dev/null
    printf '<%s>' "\${COMPREPLY[@]:0:1}" "\${#COMPREPLY[@]}"`
  // The words passed to the command are among the replies, but for the one that has a quote.
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('<a b><4>')
})
