/** One case: two clients and an answer, or an action, and a daemon that is killed around it; then the verdict. */

import { setTimeout as sleep } from 'node:timers/promises'
import { openHost, type RecordedEvent } from 'loopwright'
import { type AuthorityPlace, type AuthorityVictim, layOutAuthority } from './authority-victims.ts'
import { type DaemonProcess, requireDaemon, withFolder } from './killed-daemon.ts'

export interface AuthorityCase {
  readonly victim: AuthorityVictim
  /** From the moment that the question is open, or that the action is requested. */
  readonly killAfterMs: number
  /** When each of the two clients answers. */
  readonly answersAfterMs: readonly [number, number]
}

export interface AuthorityEnd {
  /** It was killed while the answer or the action was under way. */
  readonly wasInside: boolean
  /** A person was asked whether the action had happened. */
  readonly wasAsked: boolean
  readonly findings: readonly string[]
}

const caseMsMax = 300_000

export function runAuthorityCase(one: AuthorityCase): Promise<AuthorityEnd> {
  return withFolder(async (base) => {
    const place = await layOutAuthority(base, one.victim)
    const started: DaemonProcess[] = []
    const stage: Stage = {
      place,
      async startDaemon() {
        const daemon = await requireDaemon({ state: place.state })
        started.push(daemon)
        return daemon
      },
    }
    try {
      return await (one.victim === 'asking' ? playAnswer(stage, one) : playAction(stage, one))
    } finally {
      // A case that fails leaves one that still writes to the folder.
      for (const daemon of started) daemon.signal('SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
    }
  })
}

interface Stage {
  readonly place: AuthorityPlace
  startDaemon(): Promise<DaemonProcess>
}

interface Inspected {
  readonly queue?: unknown
  readonly run: { readonly status: string }
  readonly questions: readonly {
    readonly id: string
    readonly question: { readonly text: string }
  }[]
}

async function start(daemon: DaemonProcess, { file, workspace }: AuthorityPlace): Promise<string> {
  const made = await daemon.ask('POST', '/runs', { file, workspace }, 'the-only-one')
  if (made.status !== 201 && made.status !== 200) throw new Error(JSON.stringify(made.json))
  return made.json.run.id as string
}

async function until(
  daemon: DaemonProcess,
  run: string,
  isSo: (seen: Inspected) => boolean,
): Promise<Inspected> {
  const untilMs = Date.now() + caseMsMax
  for (;;) {
    const { json } = await daemon.ask('GET', `/runs/${run}`)
    if (isSo(json as Inspected)) return json as Inspected
    if (Date.now() > untilMs) throw new Error(`It takes too long: ${daemon.said()}`)
    await sleep(5)
  }
}

const hasEnded = ({ queue, run }: Inspected): boolean =>
  queue === undefined && ['completed', 'failed', 'stuck', 'exhausted'].includes(run.status)

type Reply = 'recorded' | 'refused' | 'lost'

async function answer(daemon: DaemonProcess, run: string, text: string): Promise<Reply> {
  const path = `/runs/${run}/questions/color/answer`
  try {
    const { status } = await daemon.ask('POST', path, { answer: text })
    return status < 300 ? 'recorded' : 'refused'
  } catch {
    // The daemon died: it may be recorded or not.
    return 'lost'
  }
}

const colors = ['red', 'blue'] as const

async function playAnswer(
  { place, startDaemon }: Stage,
  { killAfterMs, answersAfterMs }: AuthorityCase,
): Promise<AuthorityEnd> {
  const first = await startDaemon()
  const run = await start(first, place)
  await until(first, run, ({ questions }) => questions.length > 0)
  const sent = colors.map(async (color, at): Promise<Reply> => {
    await sleep(answersAfterMs[at] ?? 0)
    return answer(first, run, color)
  })
  await sleep(killAfterMs)
  first.signal('SIGKILL')
  const replies = await Promise.all(sent)
  await first.ended
  const second = await startDaemon()
  await start(second, place)
  // A client that heard nothing tries again.
  const again = await Promise.all(
    colors.map(async (color, at) => {
      const reply = replies[at] ?? 'lost'
      return reply === 'lost' ? answer(second, run, color) : reply
    }),
  )
  await until(second, run, hasEnded)
  await stop(second)
  const events = await eventsOf(place, run)
  const applied = events.flatMap(({ event }) =>
    event.type === 'decision-applied' && event.decision.type === 'answer'
      ? [event.decision.answer]
      : [],
  )
  const [chosen] = applied
  const findings = [...wrongSteps(events, 'ask')]
  if (applied.length !== 1) findings.push(`${applied.length} answers were applied`)
  const winners = colors.filter((_color, at) => again[at] === 'recorded')
  if (winners.length > 1) findings.push('two clients were told that their answer counts')
  if (winners.length === 1 && winners[0] !== chosen) {
    findings.push(`${winners[0]} was confirmed, and ${chosen} was applied`)
  }
  const wasLost = colors.find((_color, at) => replies[at] === 'lost')
  if (winners.length === 0 && wasLost === undefined) findings.push('no answer was recorded')
  return { wasInside: wasLost !== undefined, wasAsked: false, findings }
}

async function playAction(
  { place, startDaemon }: Stage,
  { victim, killAfterMs }: AuthorityCase,
): Promise<AuthorityEnd> {
  const first = await startDaemon()
  const run = await start(first, place)
  await untilRequested(first, run)
  await sleep(killAfterMs)
  first.signal('SIGKILL')
  await first.ended
  const wasInside = isActing(await eventsOf(place, run))
  const second = await startDaemon()
  await start(second, place)
  const seen = await until(
    second,
    run,
    (one) =>
      hasEnded(one) || one.questions.some(({ question }) => question.text.includes('unknown')),
  )
  const [asked] = seen.questions
  const findings: string[] = []
  if (asked !== undefined) {
    const told = place.performed().length > 0 ? 'it happened' : 'do it again'
    const path = `/runs/${run}/questions/${encodeURIComponent(asked.id)}/answer`
    const { status, json } = await second.ask('POST', path, { answer: told })
    if (status >= 300) findings.push(`the answer was refused: ${JSON.stringify(json)}`)
    await until(second, run, hasEnded)
  }
  await stop(second)
  const events = await eventsOf(place, run)
  findings.push(...wrongSteps(events, 'gate'))
  const { length } = place.performed()
  if (length !== 1) findings.push(`it was performed ${length} times`)
  if (victim !== 'blind' && asked !== undefined) findings.push('it asked what can be looked up')
  if (victim === 'blind' && wasInside && asked === undefined) findings.push('it did not ask')
  return { wasInside, wasAsked: asked !== undefined, findings }
}

/** Until the gate was asked: what follows is the action. */
async function untilRequested(daemon: DaemonProcess, run: string): Promise<void> {
  const untilMs = Date.now() + caseMsMax
  while (Date.now() < untilMs) {
    const { json } = await daemon.ask('GET', `/runs/${run}/events?limit=500`)
    if (JSON.stringify(json).includes('"kind":"gate"')) return
    await sleep(2)
  }
  throw new Error(`It never acts: ${daemon.said()}`)
}

function isActing(events: readonly RecordedEvent[]): boolean {
  const isAction = ({ event }: RecordedEvent, type: string): boolean =>
    event.type === type && 'kind' in event && event.kind === 'action'
  const isBegun = events.some((one) => isAction(one, 'step-started'))
  return isBegun && !events.some((one) => isAction(one, 'step-finished'))
}

/** A step of this kind has exactly one result. */
function wrongSteps(events: readonly RecordedEvent[], kind: string): readonly string[] {
  const finished = events.filter(
    ({ event }) => event.type === 'step-finished' && event.kind === kind,
  )
  return finished.length === 1 ? [] : [`${finished.length} results of ${kind}`]
}

async function eventsOf({ state }: AuthorityPlace, run: string): Promise<readonly RecordedEvent[]> {
  const host = await openHost({ folder: state })
  try {
    const events: RecordedEvent[] = []
    for await (const event of host.events(run, { follow: false })) events.push(event)
    return events
  } finally {
    await host.close()
  }
}

async function stop(daemon: DaemonProcess): Promise<void> {
  daemon.signal('SIGTERM')
  await daemon.ended
}
