/** One repository: certified at its commit, timed, and a fault fixed by a scripted agent. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runBare } from './bare-check.ts'
import { type Clone, cloneRepository, commitAll, type Ended, run } from './clone-repository.ts'
import type { Repository } from './repository.ts'

export interface Tried {
  readonly name: string
  readonly certified: boolean
  /** Why it was not, for people: the first line of the message. */
  readonly why?: string
  /** A certification without its set-up, divided by the bare check. */
  readonly ratio?: number
  readonly bareMs?: number
  /** The whole command, set-up included. */
  readonly certifyMs?: number
  readonly setUp?: SetUp
  /** Of it, while the check ran. */
  readonly checkMs?: number
  /** How the run on the fault ended. */
  readonly end: 'certified' | 'question' | 'failed' | 'not-run'
  readonly runMs?: number
  /** Of a certified run: how much its certificate proves. */
  readonly strength?: string
  /** The first line of the question, or of the failure. */
  readonly said?: string
  readonly absent: readonly string[]
}

/**
 * What a certification does before a check can start, and to clean up: the start and the end of the process
 * (`process`, the time of the command without `total`), and the phases `sandbox`, `dependencies` and `checkout` that
 * the product measures itself (`tookMs` of `loopctl certify --json`). Everything else counts against the bare
 * check: the comparison with the repository, the check under observation, the rules, the certificate.
 */
export type SetUp = Readonly<Record<(typeof setUpPhases)[number], number>>

const setUpPhases = ['process', 'sandbox', 'dependencies', 'checkout'] as const

export const setUpMs = (setUp: SetUp): number =>
  setUpPhases.reduce((sum, phase) => sum + setUp[phase], 0)

type TookMs = Readonly<Record<'sandbox' | 'dependencies' | 'checkout' | 'checks' | 'total', number>>

const shortCheckMs = 5000
const loopctl = fileURLToPath(new URL('../../../dist/cli/loopctl.js', import.meta.url))

export async function tryRepository(
  repository: Repository,
  mirrored: string,
  work: string,
  fixes: boolean,
): Promise<Tried> {
  const { name, check } = repository
  const clone = await cloneRepository(repository, mirrored, work)
  const { folder, absent } = clone
  const state = join(work, 'state')
  const certify = (...options: readonly string[]): Promise<Ended> =>
    ctl(state, folder, ...options, 'certify', folder, '--check', `test=${check}`)
  const first = await certify()
  if (first.code !== 0) {
    return { name, certified: false, why: reasonIn(first.output), end: 'not-run', absent }
  }
  const bareMs = await timeBare(repository, clone, work)
  // Of a short check one other process on the machine changes the ratio: the best of three.
  const times = bareMs < shortCheckMs ? 3 : 1
  const timed = await timeCertify(times, bareMs, () => certify('--json'))
  const fixed = fixes ? await fixFault(repository, clone, work) : { end: 'not-run' as const }
  return { name, certified: true, ...timed, ...fixed, absent }
}

type Timed = Required<Pick<Tried, 'bareMs' | 'certifyMs' | 'setUp' | 'checkMs' | 'ratio'>>

async function timeCertify(
  times: number,
  bareMs: number,
  certify: () => Promise<Ended>,
): Promise<Timed> {
  const timed: Timed[] = []
  for (let time = 0; time < times; time++) {
    const { code, output, ms } = await certify()
    if (code !== 0) throw new Error(`It was certified, and the next time not: ${reasonIn(output)}`)
    const { tookMs } = JSON.parse(output) as { readonly tookMs: TookMs }
    const { total, checks: checkMs, ...phases } = tookMs
    const setUp = { process: ms - total, ...phases }
    timed.push({ bareMs, certifyMs: ms, setUp, checkMs, ratio: (ms - setUpMs(setUp)) / bareMs })
  }
  const [best] = timed.toSorted((a, b) => a.ratio - b.ratio)
  if (best === undefined) throw new Error('It was never certified.')
  return best
}

async function leastMs(times: number, once: () => Promise<Ended>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < times; time++) least = Math.min(least, (await once()).ms)
  return least
}

async function timeBare(
  { install = [], check }: Repository,
  clone: Clone,
  work: string,
): Promise<number> {
  const { folder, path } = clone
  for (const command of install) {
    const { code, output } = await run(command, folder, { PATH: path })
    if (code !== 0) throw new Error(`${command.join(' ')} failed: ${output.slice(-500)}`)
  }
  const bare = async (): Promise<Ended> => {
    const ended = await runBare(check, clone, work)
    if (ended.code !== 0) throw new Error(`The bare check failed: ${ended.output.slice(-500)}`)
    return ended
  }
  const { ms } = await bare()
  return ms < shortCheckMs ? Math.min(ms, await leastMs(2, bare)) : ms
}

/** The agent is honest: it puts back what was right, and adds a test and a line of documentation. */
async function fixFault(
  { fault, test, docs, check, name }: Repository,
  clone: Clone,
  work: string,
): Promise<Pick<Tried, 'end' | 'runMs' | 'said' | 'strength'>> {
  const { folder } = clone
  const file = join(folder, fault.file)
  const text = await readFile(file, 'utf8')
  if (!text.includes(fault.good)) throw new Error(`${fault.file} has no ${fault.good}`)
  const faulty = text.replace(fault.good, () => fault.bad)
  // The agent edits by text.
  if (faulty.split(fault.bad).length !== 2) throw new Error(`${fault.bad} is not unique`)
  await writeFile(file, faulty)
  await commitAll(folder, 'Plant a fault')
  const { code } = await runBare(check, clone, work)
  if (code === 0) throw new Error(`The fault in ${fault.file} does not make the check fail`)
  const document = (await readFile(join(folder, docs.file), 'utf8')).trimEnd()
  const script = [
    { call: 'read', args: { path: fault.file } },
    { call: 'read', args: { path: docs.file } },
    { call: 'edit', args: { path: fault.file, old: fault.bad, new: fault.good } },
    { call: 'write', args: { path: test.file, content: test.text } },
    { call: 'write', args: { path: docs.file, content: `${document}\n\n${docs.line}\n` } },
    { say: 'The fault is fixed, with a test and a line of documentation.' },
  ]
  const loop = {
    name: 'fix-fault',
    prompt: `A check of ${name} fails. Fix it.`,
    agent: { script: [script] },
    workspace: folder,
    checks: { test: { run: check, timeout: '10m' } },
    // A question is what is measured, not its answer.
    certify: { deadline: '1s' },
    limits: { iterations: 1 },
  }
  const loopFile = join(work, `${name.replace('/', '+')}.yaml`)
  await writeFile(loopFile, JSON.stringify(loop))
  const state = join(work, 'state')
  const ended = await ctl(state, work, 'run', loopFile, '--trust')
  const [, certificate] = /^\s*certificate (\w+)/m.exec(ended.output) ?? []
  const verified =
    certificate === undefined ? '' : (await ctl(state, work, 'verify', certificate)).output
  const [, strength] = /strength ([\w-]+)/.exec(verified) ?? []
  return {
    ...howItEnded(ended),
    runMs: ended.ms,
    ...(strength === undefined ? {} : { strength }),
  }
}

const ctl = (state: string, cwd: string, ...args: readonly string[]): Promise<Ended> =>
  run([process.execPath, loopctl, '--no-daemon', '--no-input', '--state', state, ...args], cwd)

function howItEnded({ code, output }: Ended): Pick<Tried, 'end' | 'said'> {
  if (code === 0) return { end: 'certified' }
  const questions = output.match(/^\s*approve-\w+ asks: /gm)?.length ?? 0
  return { end: questions === 1 ? 'question' : 'failed', said: reasonIn(output) }
}

/** Sentences of ours, not the output that they quote. */
function reasonIn(output: string): string {
  const [, asked] = / asks: [^\n]*\n\s*\n([^\n]+)/.exec(output) ?? []
  if (asked !== undefined) return asked.trim()
  const lines = output.split('\n').map((line) => line.trim())
  const said = lines.filter((line) => /^(?:loopctl: |[a-z]+(?:-[a-z]+)*: [A-Z])/.test(line))
  return (said.length > 0 ? said : lines.filter((line) => line !== '').slice(-3)).join(' ')
}
