/**
 * loopctl as a user sees it: in a real terminal, through a real daemon, one for all of these tests.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { afterFile } from '../after.ts'
import { warmLoopctl } from '../warm-loopctl.ts'
import { openScreen, type Screen } from './screen.ts'

const program = new URL('../../dist/cli/loopctl.js', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'loopwright-terminal-'))
const state = join(folder, 'state')
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  LOOPWRIGHT_STATE: state,
  LANG: 'C.UTF-8',
  USER: 'tester',
}
const escape = String.fromCharCode(27)

/** A loop that writes a file; with `sealed` it also changes a test, which a person must approve. */
function writeLoop(name: string, { sleep = 0, sealed = false } = {}): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'a.test.mjs'), '// nothing to test\n')
  const more = sealed ? '; echo // more >> a.test.mjs' : ''
  const turns = [
    `{ call: run, args: { command: "sleep ${sleep}; echo ok > done.txt${more}" } }`,
    '{ say: It is done. }',
  ]
  const script = turns.map((turn, at) => `    ${at === 0 ? '- ' : '  '}- ${turn}`).join('\n')
  writeFileSync(
    join(folder, `${name}.yaml`),
    `name: ${name}
workspace: ${name}
prompt: Write the file.
agent:
  script:
${script}
checks: { there: test -f done.txt }
certify: quick
seals: { paths: [a.test.mjs] }
worktree: false
limits: { iterations: 3, cost: 1 }
`,
  )
}

async function ctl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await warmLoopctl(args, env, folder)
  if (code !== 0) throw new Error(`loopctl ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

async function screen(width = 100, more: Readonly<Record<string, string>> = {}): Promise<Screen> {
  const opened = await openScreen({ width, cwd: folder, env: { ...env, ...more } })
  await opened.type(`loopctl() { ${process.execPath} ${program} "$@"; }`)
  await opened.clear()
  return opened
}

function killDaemon(): void {
  process.kill(Number(readFileSync(join(state, 'daemon', 'loopd.pid'), 'utf8')), 'SIGKILL')
}

beforeAll(async () => {
  afterFile(async () => {
    await ctl('daemon', 'stop').catch(killDaemon)
    rmSync(folder, { recursive: true, force: true })
  })
  for (const name of ['plain', 'narrow', 'piped']) writeLoop(name)
  writeLoop('slow', { sleep: 3 })
  writeLoop('asking', { sealed: true })
  writeLoop('restarted', { sealed: true })
  await ctl('daemon', 'start', '--port', '0')
})

test('a run is shown while it runs, asks at the terminal, and ends certified', async () => {
  const at = await screen()
  await at.type('loopctl run asking.yaml --name asking-one')
  await at.until('Trust it as it is now?')
  await at.key('y')
  await at.until(/█.* \d\/3 {2}/)
  await at.until(/approve$[^]*reject$/m)
  await at.key('Up', 'Enter')
  const { code, text } = await at.told()
  expect(code).toBe(0)
  expect(text).toMatch(/^asking-one {2}asking {2}in .*asking$/m)
  expect(text).toMatch(/certify +✓ certified/)
  expect(text).toMatch(/^✓ completed: checks-pass {2}1 iteration/m)
  // The status line is gone, and no part of it is left between the others.
  expect(text).not.toMatch(/[█░⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
  expect((await at.lines({ colors: true })).join('\n')).toContain(`${escape}[`)
})

test('Ctrl-C stops watching, prints the options, and the run continues to its end', async () => {
  const at = await screen()
  await at.type('loopctl run slow.yaml --trust --name slow-one')
  await at.until('iteration 1 of 3')
  await at.key('C-c')
  const { code, text } = await at.told()
  expect(code).toBe(130)
  expect(text).toContain('slow-one keeps running in the daemon.')
  expect(text).toMatch(
    /Watch it again: loopctl watch slow-one\n +Pause it: +loopctl pause slow-one/,
  )
  await at.clear()
  expect((await at.told('loopctl tail -f slow-one')).text).toContain('completed: checks-pass')
})

test('Ctrl-C at a question ends the command with 130, and nothing is started or removed', async () => {
  writeLoop('fresh')
  const shown = await screen()
  for (const [line, question] of [
    ['loopctl run fresh.yaml', 'Trust it as it is now?'],
    ['loopctl run --pick', 'Which loop or spec?'],
    ['loopctl rm slow-one', 'Continue?'],
  ] as const) {
    await shown.clear()
    await shown.type(line)
    await shown.until(question)
    await shown.key('C-c')
    const { code, text } = await shown.told()
    expect({ line, code }).toEqual({ line, code: 130 })
    expect(text).toContain('loopctl: Cancelled.')
  }
  const listed = await ctl('list')
  expect(listed).not.toContain('fresh')
  expect(listed).toContain('slow-one')
})

test('tail -f continues through a restart of the daemon, with no gaps or duplicates', async () => {
  const at = await screen(200)
  await ctl('run', 'restarted.yaml', '--trust', '--attended', '--detach', '--name', 'restarted-one')
  await at.type('loopctl --json tail -f restarted-one > tail.jsonl; echo "it is over"')
  await expect
    .poll(() => ctl('inbox'), { timeout: 60_000, interval: 200 })
    .toContain('restarted-one')
  await ctl('daemon', 'stop')
  await ctl('daemon', 'start', '--port', '0')
  const [asked] = (await ctl('--json', 'inbox')).split('\n')
  const { id } = JSON.parse(asked ?? '') as { id: string }
  await ctl('answer', 'restarted-one', id, 'approve')
  await at.until(/^it is over$/m)
  const rows = readFileSync(join(folder, 'tail.jsonl'), 'utf8').trim().split('\n')
  const seen = rows.map((row) => JSON.parse(row) as { seq: number; event: { type: string } })
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_row, place) => place + 1))
  expect(seen.filter(({ event }) => event.type === 'run-started')).toHaveLength(2)
  expect(seen.at(-1)?.event.type).toBe('run-ended')
})

test('on 40 columns the terminal wraps only lines that are to be copied; with NO_COLOR nothing is colored', async () => {
  const at = await screen(40, { NO_COLOR: '1' })
  const { code } = await at.told('loopctl run narrow.yaml --trust --name narrow-one')
  expect(code).toBe(0)
  expect((await at.lines({ colors: true })).join('\n')).not.toContain(escape)
  await at.clear()
  const { text } = await at.told('loopctl list')
  expect(text).toMatch(/^NAME +STATUS/m)
  const rows = text.split('\n').filter((line) => /^(NAME|[a-z]+-one)/.test(line))
  expect(rows.length).toBeGreaterThan(2)
  expect(rows.filter((line) => line.length > 40)).toEqual([])
})

test('output to a pipe is plain lines, and a closed pipe is not an error', async () => {
  const at = await screen()
  const counted = String.raw`tr -cd '\033\r' | wc -c`
  const piped = await at.told(`loopctl run piped.yaml --trust --name piped-one | ${counted}`)
  expect(piped.text).toMatch(/^0$/m)
  const head = 'loopctl tail piped-one | head -1; (exit ${PIPESTATUS[0]})'
  expect((await at.told(head)).code).toBe(0)
})

test('init asks for agent, checks, task and budget, and Ctrl-C writes nothing', async () => {
  const project = join(folder, 'project')
  mkdirSync(project)
  const manifest = { scripts: { test: 'node --test', lint: 'eslint .' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  const at = await screen()
  await at.type('cd project; loopctl init')
  await at.until(/^project +Node \(package\.json\)[^]*Which agent should do the work\?/m)
  await at.key('C-c')
  const left = await at.told()
  expect(left).toMatchObject({ code: 130, text: expect.stringContaining('Nothing was written.') })
  expect(existsSync(join(project, 'loops'))).toBe(false)
  await at.clear()
  await at.type('loopctl init --agent codex --no-preflight')
  await at.until('Which checks decide')
  await at.key('Down', 'Space', 'Enter')
  await at.until('What should the agent do?')
  await at.type('Fix the parser.')
  await at.until('How many dollars')
  await at.type('2.50')
  const { code, text } = await at.told()
  expect(code).toBe(0)
  expect(text).toContain('Before you run it: codex is not installed. Run: loopctl agents add codex')
  expect(text).toContain('Run it: loopctl run')
  const written = readFileSync(join(project, 'loops', 'fix.yaml'), 'utf8')
  expect(written).toContain('  goal: Fix the parser.\n')
  expect(written).toContain('agent: codex\n')
  expect(written).toMatch(/^checks:\n {2}test: npm test\n\n/m)
  expect(written).toContain('  cost: 2.5\n')
})

test('does not prompt if there is no terminal to answer', async () => {
  const at = await screen()
  const untrusted = await at.told('loopctl run plain.yaml < /dev/null')
  expect(untrusted.code).toBe(77)
  expect(untrusted.text).toContain('loopctl trust')
  const scrapped = await at.told('loopctl scrap piped-one < /dev/null')
  expect(scrapped.code).toBe(64)
  expect(scrapped.text).toContain('--yes')
  expect((await at.told('loopctl --no-input inbox')).code).toBe(0)
})
