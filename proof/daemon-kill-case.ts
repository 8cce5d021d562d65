/** One case: a daemon that is killed, those after it that are killed too, the last one, and the verdict. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openHost, type RecordedEvent } from 'loopwright'
import { layOutVictim, type VictimPlace, type VictimSize, wrongFiles } from './daemon-victim.ts'
import { type DaemonProcess, startDaemon, withFolder } from './killed-daemon.ts'
import type { Kill } from './victim-job.ts'

export type DaemonFindingKind = 'lost' | 'repeated' | 'ending' | 'integrity' | 'process'

export interface DaemonFinding {
  readonly kind: DaemonFindingKind
  readonly text: string
}

export interface DaemonCaseEnd {
  readonly killed: readonly Kill[]
  readonly findings: readonly DaemonFinding[]
  /** From the start of each process after a kill until the run was under way again. */
  readonly recoveriesMs: readonly number[]
}

const preload = fileURLToPath(new URL('./daemon-failpoints.js', import.meta.url))
const caseMsMax = 120_000

/** How often each place is reached by a run that nobody disturbs, or that recovers from `kill`. */
export async function countSites(
  size: VictimSize,
  kill?: Kill,
): Promise<ReadonlyMap<string, number>> {
  return withFolder(async (base) => {
    const place = await layOutVictim(base, size)
    if (kill !== undefined) await live(place, { kill }, () => undefined)
    const counts = join(base, 'counts')
    const end = await live(place, { counts }, () => undefined)
    if (end.type !== 'done') throw new Error(`The victim cannot run: ${JSON.stringify(end)}`)
    return new Map(JSON.parse(readFileSync(counts, 'utf8')) as [string, number][])
  })
}

export async function runDaemonCase(
  size: VictimSize,
  kills: readonly Kill[],
): Promise<DaemonCaseEnd> {
  return withFolder(async (base) => {
    const place = await layOutVictim(base, size)
    const killed: Kill[] = []
    const starts: number[] = []
    const accepted = new Set<string>()
    for (const kill of [...kills, undefined]) {
      starts.push(Date.now())
      const job = kill === undefined ? {} : { kill }
      const end = await live(place, job, (run) => accepted.add(run))
      if (end.type === 'killed' && kill !== undefined) killed.push(kill)
      else if (end.type !== 'done') {
        const text = end.type === 'failed' ? end.text : 'somebody else killed it'
        return { killed, findings: [{ kind: 'process', text }], recoveriesMs: [] }
      }
    }
    try {
      const { findings, recoveriesMs } = await judgeVictim(place, size, accepted, starts)
      return { killed, findings, recoveriesMs }
    } catch (error) {
      return { killed, findings: [{ kind: 'integrity', text: String(error) }], recoveriesMs: [] }
    }
  })
}

type Life =
  | { readonly type: 'done' }
  | { readonly type: 'killed' }
  | { readonly type: 'failed'; readonly text: string }

interface LifeJob {
  readonly kill?: Kill
  readonly counts?: string
}

/** A daemon until its run has ended or it was killed. The same request is made each time, by one key. */
async function live(
  place: VictimPlace,
  job: LifeJob,
  onAccepted: (run: string) => void,
): Promise<Life> {
  const env = { LOOPWRIGHT_PROOF: JSON.stringify(job) }
  const daemon = await startDaemon({ state: place.state, preload, env })
  if (typeof daemon === 'string') return endOf(daemon)
  const watched = follow(daemon, place, onAccepted).catch((error: unknown) => {
    // A request that the kill cut off says nothing.
    if (daemon.isAlive) throw error
    return undefined
  })
  const late = sleep(caseMsMax, 'late' as const, { ref: false })
  const first = await Promise.race([watched, daemon.ended, late]).catch(String)
  if (first === 'done') {
    if (job.counts !== undefined) {
      daemon.signal('SIGUSR2')
      await sleep(200)
    }
    daemon.signal('SIGTERM')
  } else if (first === 'late') daemon.signal('SIGABRT')
  const ended = await Promise.race([daemon.ended, sleep(caseMsMax, 'hangs', { ref: false })])
  if (ended === '0') return { type: 'done' }
  return endOf(`${ended}: ${first === ended ? '' : first} ${daemon.said()}`)
}

const endOf = (text: string): Life =>
  text.startsWith('SIGKILL') ? { type: 'killed' } : { type: 'failed', text }

async function follow(
  daemon: DaemonProcess,
  { file, workspace }: VictimPlace,
  onAccepted: (run: string) => void,
): Promise<string> {
  const made = await daemon.ask('POST', '/runs', { file, workspace }, 'the-only-one')
  if (made.status !== 201 && made.status !== 200) return `refused: ${JSON.stringify(made.json)}`
  const id: string = made.json.run.id
  onAccepted(id)
  for (;;) {
    const { json } = await daemon.ask('GET', `/runs/${id}`)
    if (json.queue === undefined) {
      return json.run.status === 'completed' ? 'done' : `${json.run.status}: ${daemon.said()}`
    }
    await sleep(50)
  }
}

interface Verdict {
  readonly findings: readonly DaemonFinding[]
  readonly recoveriesMs: readonly number[]
}

export async function judgeVictim(
  { state }: VictimPlace,
  size: VictimSize,
  accepted: ReadonlySet<string>,
  starts: readonly number[],
): Promise<Verdict> {
  const host = await openHost({ folder: state })
  try {
    const runs = await host.list()
    const [run] = runs
    const findings: DaemonFinding[] = (await host.problems()).map((text) => ({
      kind: 'integrity',
      text,
    }))
    const lost = [...accepted].filter((id) => runs.every((one) => one.id !== id))
    for (const id of lost) findings.push({ kind: 'lost', text: `run ${id} was accepted` })
    if (runs.length !== 1) findings.push({ kind: 'repeated', text: `${runs.length} runs` })
    if (run === undefined) return { findings, recoveriesMs: [] }
    const events: RecordedEvent[] = []
    for await (const event of host.events(run.id, { follow: false })) events.push(event)
    findings.push(...wrongEvents(events))
    for (const text of wrongFiles(run.workspace ?? '', size))
      findings.push({ kind: 'ending', text })
    return { findings, recoveriesMs: recoveries(events, starts) }
  } finally {
    await host.close()
  }
}

function wrongEvents(events: readonly RecordedEvent[]): readonly DaemonFinding[] {
  const findings: DaemonFinding[] = []
  events.forEach(({ seq }, index) => {
    if (seq !== index + 1) findings.push({ kind: 'lost', text: `event ${index + 1} is ${seq}` })
  })
  const finished = events.flatMap(({ event }) =>
    event.type === 'step-finished' ? [`${event.iteration}/${event.step}`] : [],
  )
  const twice = finished.filter((step, index) => finished.indexOf(step) !== index)
  for (const step of twice) findings.push({ kind: 'repeated', text: `step ${step} twice` })
  const iterations = events.flatMap(({ event }) =>
    event.type === 'iteration-ended' && isWhole(event.ending.type) ? [event.iteration] : [],
  )
  if (iterations.join() !== '1,2') {
    const kind = new Set(iterations).size < iterations.length ? 'repeated' : 'lost'
    findings.push({ kind, text: `iterations ${iterations.join()}` })
  }
  const ends = events.filter(({ event }) => event.type === 'run-ended')
  if (ends.length !== 1) findings.push({ kind: 'ending', text: `${ends.length} ends` })
  return findings
}

const isWhole = (ending: string): boolean => ending !== 'interrupted' && ending !== 'rate-limited'

/** Only of processes that found a run under way. */
function recoveries(
  events: readonly RecordedEvent[],
  starts: readonly number[],
): readonly number[] {
  const begun = events.filter(({ event }) => event.type === 'run-started').map(({ atMs }) => atMs)
  return starts.slice(1).flatMap((startMs) => {
    const wasUnderWay = begun.some((atMs) => atMs < startMs)
    const again = begun.find((atMs) => atMs >= startMs)
    return wasUnderWay && again !== undefined ? [again - startMs] : []
  })
}
