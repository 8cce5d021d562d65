// `npm run bench` and `npm run proof`: what they accept, what they print, and how they resume.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Suite } from '../build/bench/report.js'
import { formatTable } from '../build/bench/result-table.js'
import { runSuites } from '../build/bench/run-suites.js'
import { openProgress } from '../build/bench/suite-progress.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-measure-'))
  folders.push(folder)
  return folder
}

const end = {
  name: 'engine: simulation',
  seconds: 3.5,
  results: [
    { name: 'engine.seeds', value: 10, unit: 'seeds', target: '>=10', ok: true },
    { name: 'engine.lost', value: 2, unit: 'steps', target: '<=0', ok: false, detail: 'a\nb' },
  ],
}

const suites = [
  { area: 'engine', title: 'simulation', share: 0.1, run: scaled('engine.seeds') },
  { area: ['journal', 'engine'], title: 'kills', run: scaled('journal.kills') },
  {
    area: 'daemon',
    title: 'broken',
    run: () => Promise.reject(new Error('It cannot start.')),
  },
]

/** A suite whose only figure is the scale it was run at. */
function scaled(name: string): Suite['run'] {
  return async ({ scale }) => [{ name, value: scale, unit: 'share', target: '>=0', ok: true }]
}

async function measure(...args: string[]) {
  const [printed, notes]: [string[], string[]] = [[], []]
  const code = await runSuites('proof', suites, args, {
    print: (text) => printed.push(text),
    note: (text) => notes.push(text),
    folder: newFolder(),
  })
  return { code, printed: printed.join('\n'), notes: notes.join('\n') }
}

describe('the command line', () => {
  test.each([
    [['--only', 'nothing'], /Unknown area "nothing"\. Areas: daemon, engine, journal/],
    [['--scale', 'much'], /--scale needs a number above 0, not "much"/],
    [['--scale', '0'], /--scale needs a number above 0/],
    [['--full', '--scale', '1'], /--full and --scale conflict/],
    [['--whatever'], /Usage: npm run proof/],
  ])('%j is refused with what to do', async (args, words) => {
    const { code, notes, printed } = await measure(...args)
    expect(code).toBe(64)
    expect(notes).toMatch(words)
    expect(printed).toBe('')
  })

  test.each([
    [[], 0.1, 1],
    [['--full'], 1, 1],
    [['--scale', '0.5'], 0.5, 0.5],
  ])('%j runs each suite of the area at its scale', async (args, first, second) => {
    const { code, printed, notes } = await measure('--only', 'engine', '--json', ...args)
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ results: [{ value: first }, { value: second }] })
    expect(notes).toContain('[2/2] 0:00 journal, engine: kills')
  })

  test('a suite that throws fails, and the others still run', async () => {
    const { code, printed } = await measure()
    expect(code).toBe(1)
    expect(printed).toContain('FAIL  daemon.broken')
    expect(printed).toContain('2 of 3 targets met')
  })
})

describe('the table', () => {
  test('has a row for each result, and ends with what was missed', () => {
    const lines = formatTable([end])
    expect(lines[1]).toMatch(/^ok +engine\.seeds +10 seeds +>=10 +3\.5 s$/)
    expect(lines[2]).toMatch(/^FAIL +engine\.lost +2 steps +<=0 +a b$/)
    expect(lines.at(-1)).toBe('1 of 2 targets met, 0.1 min; missed: engine.lost')
  })
})

describe('a proof that is stopped by a signal', () => {
  test('leaves no temporary folder and no process', async () => {
    const folder = newFolder()
    const proof = `
      import { spawn } from 'node:child_process'
      import { mkdtempSync } from 'node:fs'
      import { tmpdir } from 'node:os'
      process.on('SIGTERM', () => undefined)
      const other = spawn('sleep', ['60'], { stdio: 'ignore' })
      mkdtempSync(tmpdir() + '/kept-')
      mkdtempSync(process.env.LOOPWRIGHT_FAST_FOLDER + '/kept-')
      other.on('exit', () => process.exit(0))
      console.log(JSON.stringify([process.env.LOOPWRIGHT_FAST_FOLDER, other.pid]))
    `
    const scripts = new URL('../scripts/temporary-folders.mjs', import.meta.url).href
    const start = `
      const { runInTemporaryFolders } = await import('${scripts}')
      process.exitCode = await runInTemporaryFolders(['--input-type=module', '-e', process.argv[1]])
    `
    const child = spawn(process.execPath, ['--input-type=module', '-e', start, proof], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const [fast, pid] = JSON.parse(String(line)) as [string, number]
    expect(readdirSync(folder)).toHaveLength(1)
    expect(readdirSync(fast)).toHaveLength(1)
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(readdirSync(folder)).toEqual([])
    expect(() => readdirSync(fast)).toThrow(/ENOENT/)
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
  })
})

describe('an interrupted run', () => {
  test('is resumed with what it finished, by the same options only', () => {
    const folder = newFolder()
    openProgress('proof', { full: true }, false, folder).add(end)
    expect(openProgress('proof', { full: true }, false, folder).hint).toContain('--resume')
    expect(openProgress('proof', { full: true }, false, folder).find(end.name)).toBeUndefined()
    const other = openProgress('proof', { full: false }, true, folder)
    expect(other.hint).toContain('options changed')
    expect(other.find(end.name)).toBeUndefined()
    const resumed = openProgress('proof', { full: true }, true, folder)
    expect(resumed.hint).toBeUndefined()
    expect(resumed.find(end.name)).toEqual(end)
    resumed.close()
    expect(readdirSync(folder)).toEqual([])
  })

  test('of a suite that has parts is resumed with the parts that it finished', async () => {
    const folder = newFolder()
    const made: string[] = []
    const make = (name: string) => () => Promise.resolve(made.push(name))
    await openProgress('proof', {}, false, folder).part('a', make('a'))
    expect(openProgress('proof', {}, false, folder).hint).toContain('1 parts')
    const resumed = openProgress('proof', {}, true, folder)
    expect(await resumed.part('a', make('a again'))).toBe(1)
    expect(await resumed.part('b', make('b'))).toBe(2)
    expect(made).toEqual(['a', 'b'])
    await openProgress('proof', {}, false, folder).part('a', make('from the beginning'))
    expect(made).toHaveLength(3)
  })
})
