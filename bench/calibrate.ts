/**
 * The demo project, mended: how long a calibration of its check takes and what it finds, and how long the
 * slowest of document 001's four standard conditions takes, behind the walls.
 */

import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atMost, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const exec = promisify(execFile)
const root = new URL('../../', import.meta.url)
const loopctl = fileURLToPath(new URL('dist/cli/loopctl.js', root))
const demo = fileURLToPath(new URL('examples/mend-duration', root))
const defaultSeed = 20261115
const defects = 20

export const calibrateDemo: Suite = {
  area: 'evidence',
  title: 'the checks of the demo project, measured',
  run: ({ scale, seed = defaultSeed }) =>
    withFolder(async (folder) => {
      await makeProject(folder, {})
      const file = join(folder, 'loop.yaml')
      await cp(join(demo, 'loop.yaml'), file)
      const wanted = Math.max(2, Math.round(defects * scale))
      const began = performance.now()
      const args = ['calibrate', file, '--defects', `${wanted}`, '--seed', `${seed}`]
      const { stdout } = await run(folder, args)
      const seconds = (performance.now() - began) / 1000
      const { together, survivors } = JSON.parse(stdout) as Report
      const detail = `false accepts at most ${shown(together.falseAccepts)}, false rejects ${shown(together.falseRejects)}, ${survivors.length} survivors, seed ${seed}`
      return [atMost('evidence.calibrate-demo', seconds, 120, 's', detail)]
    }),
}

interface Share {
  readonly value: number
  readonly low: number
  readonly high: number
  readonly n: number
}

interface Report {
  readonly together: { readonly falseAccepts: Share; readonly falseRejects: Share }
  readonly survivors: readonly unknown[]
}

const shown = ({ value, low, high, n }: Share): string =>
  `${Math.round(100 * value)} % (${Math.round(100 * low)} to ${Math.round(100 * high)} %, n = ${n})`

const conditions = ['all_tests_pass', 'build_succeeds', 'linting_clean', 'security_scan_clean']

export const standardConditions: Suite = {
  area: 'evidence',
  title: 'the four standard conditions on the demo project',
  run: () =>
    withFolder(async (folder) => {
      // It has neither a build nor a linter of its own.
      await makeProject(folder, {
        build: 'node --check src/index.js',
        lint: 'node --check src/parse.js',
      })
      const file = join(folder, 'loop.yaml')
      await writeFile(file, loopOf(conditions))
      const { stdout } = await run(folder, ['run', file, '--in-place'])
      const took = conditions.map((name) => ({ name, seconds: secondsOf(stdout, name) }))
      const detail = took.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`).join(', ')
      const slowest = Math.max(...took.map(({ seconds }) => seconds))
      return [atMost('evidence.standard-conditions', slowest, 30, 's', detail)]
    }),
}

const loopOf = (checks: readonly string[]): string =>
  [
    'name: standard',
    'workspace: project',
    'prompt: Do nothing.',
    'agent: { script: [[{ say: Done. }]] }',
    `checks: [${checks.join(', ')}]`,
    'limits: { iterations: 1 }',
    '',
  ].join('\n')

/** One that is not met says nothing of how long it takes. */
function secondsOf(stdout: string, check: string): number {
  for (const line of stdout.trim().split('\n')) {
    const { event } = JSON.parse(line) as { readonly event?: Finished }
    if (event?.type !== 'step-finished' || event.evidence?.check !== check) continue
    if (event.evidence.status !== 'met') throw new Error(`${check}: ${event.evidence.status}`)
    return (event.result?.value?.durationMs ?? Number.NaN) / 1000
  }
  throw new Error(`${check} was not asked`)
}

interface Finished {
  readonly type: string
  readonly evidence?: { readonly check: string; readonly status: string }
  readonly result?: { readonly value?: { readonly durationMs?: number } }
}

/** A repository of its own, with the fault mended. */
async function makeProject(
  folder: string,
  scripts: Readonly<Record<string, string>>,
): Promise<void> {
  const project = join(folder, 'project')
  await cp(join(demo, 'project'), project, { recursive: true })
  const format = join(project, 'src/format.js')
  const text = await readFile(format, 'utf8')
  const mended = text.replace('rest > unit.ms', 'rest >= unit.ms')
  if (mended === text) throw new Error('the demo has another fault than this mends')
  await writeFile(format, mended)
  const manifest = join(project, 'package.json')
  const read = JSON.parse(await readFile(manifest, 'utf8')) as { scripts: object; name: string }
  await writeFile(
    manifest,
    JSON.stringify({ ...read, scripts: { ...read.scripts, ...scripts } }, undefined, 2),
  )
  const packages = { '': { name: read.name } }
  const lock = { name: read.name, lockfileVersion: 3, requires: true, packages }
  await writeFile(join(project, 'package-lock.json'), JSON.stringify(lock, undefined, 2))
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'first'],
  ]) {
    await exec('git', [...identity, ...args], { cwd: project })
  }
}

const run = (folder: string, args: readonly string[]): Promise<{ readonly stdout: string }> =>
  exec(
    process.execPath,
    [loopctl, '--json', '--state', join(folder, 'state'), ...args, '--trust', '--attended'],
    { maxBuffer: 256e6 },
  )
