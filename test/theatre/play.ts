/** Plays a story: runs the loop in a worktree of the stage's repository, in this process, and reports the result. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Host,
  loadLoop,
  openLoop,
  previewLoop,
  type RunHandle,
  trustLoop,
} from '../../src/host/index.ts'
import type {
  CheckStatus,
  Json,
  Outcome,
  Question,
  RecordedEvent,
  Refusal,
} from '../../src/loop/index.ts'
import { openScene, type Scene } from './scenes.ts'
import type { LoopKeys, Stage, Turn } from './story.ts'

export interface Play {
  readonly stage: Stage
  readonly loop?: LoopKeys
  readonly turns: readonly Turn[]
  /** The answer to questions; without one, the run is abandoned at a question. */
  readonly answer?: (question: Question) => string
}

export interface Played {
  /** Undefined: it did not end by itself. */
  readonly outcome: Outcome | undefined
  /** How many certificates there are. */
  readonly certificates: number
  readonly refusals: readonly Refusal[]
  /** The last result of each check in the iterations. */
  readonly checks: Readonly<Record<string, CheckStatus>>
  readonly questions: readonly Question[]
  /** What the agents printed. */
  readonly reports: readonly string[]
  /** The duration of checks in the iterations, and of certification without waiting for an answer. */
  readonly checkMs: number
  readonly certifyMs: number
}

const player = readFileSync(fileURLToPath(new URL('player.mjs', import.meta.url)), 'utf8')

export async function play(story: Play): Promise<Played> {
  const { stage, loop, turns, answer } = story
  const scene = await openScene({
    stage,
    loop: JSON.stringify(loopOf(stage, loop, turns)),
    set: answer === undefined ? 'unanswered' : 'answered',
  })
  let worktree: string | undefined
  try {
    return await run(scene, story, (path) => {
      worktree = path
    })
  } finally {
    await scene.leave(worktree)
  }
}

function loopOf(stage: Stage, loop: LoopKeys | undefined, turns: readonly Turn[]): LoopKeys {
  return {
    prompt: 'Turn {{ iteration }}. Make the tests pass.\n\n{{ progress }}',
    agent: {
      command: [process.execPath, '--input-type=module', '-e', player, JSON.stringify(turns)],
    },
    checks: { tests: 'node --test' },
    seals: { changes: 'refuse' },
    limits: { iterations: turns.length },
    ...stage.loop,
    ...loop,
  }
}

async function run(
  { host, checkout, loopFile }: Scene,
  story: Play,
  onWorktree: (path: string | undefined) => void,
): Promise<Played> {
  const { folder } = host
  await trustLoop(await previewLoop(loopFile, folder), folder)
  const loaded = await loadLoop(loopFile, { folder })
  const worktree = story.stage.isFolder !== true
  const place = await host.place({ workspace: checkout, worktree, excludedPaths: loaded.files })
  if (worktree) onWorktree(place.workspace)
  const opened = await openLoop(loaded, { ...place, folder, attended: true, models: host.models })
  try {
    const handle = await host.start(opened.loop, {
      ...opened.parts,
      input: loaded.input,
      limits: loaded.limits,
      place,
      source: loaded.source,
    })
    return await follow(host, handle, story)
  } finally {
    await opened.close()
  }
}

async function follow(host: Host, handle: RunHandle, { answer }: Play): Promise<Played> {
  const started = new Map<string, { readonly kind: string; readonly atMs: number }>()
  const questions: Question[] = []
  const refusals: Refusal[] = []
  const reports: string[] = []
  const checks: Record<string, CheckStatus> = {}
  let checkMs = 0
  let certifyMs = 0
  for await (const { event, atMs } of handle.events()) {
    if (event.type === 'step-started') {
      started.set(keyOf(event), { kind: event.kind ?? 'step', atMs })
      if (event.kind !== 'ask' || event.question === undefined) continue
      questions.push(event.question)
      if (answer === undefined) handle.shutDown({ now: true })
      else await host.answer(handle.id, keyOf(event), answer(event.question), 'a person')
    }
    if (event.type !== 'step-finished') continue
    const { kind, atMs: fromMs } = started.get(keyOf(event)) ?? { kind: 'step', atMs }
    if (event.evidence !== undefined) {
      checks[event.evidence.check] = event.evidence.status
      checkMs += atMs - fromMs
    }
    if (kind !== 'certify' && kind !== 'agent') continue
    const result = await resultOf(host, event)
    if (kind === 'agent') reports.push(textOf(result['text']))
    if (kind === 'certify') certifyMs += atMs - fromMs
    if (result['type'] === 'refused') refusals.push(...(result['refusals'] as unknown as Refusal[]))
  }
  const end = await handle.done
  return {
    outcome: end.type === 'ended' ? end.outcome : undefined,
    certificates: countCertificates(host, handle.id),
    refusals,
    checks,
    questions,
    reports,
    checkMs,
    certifyMs,
  }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const keyOf = ({
  iteration,
  step,
}: {
  readonly iteration: number
  readonly step: string
}): string => `${iteration}/${step}`

async function resultOf(
  host: Host,
  { result }: RecordedEvent['event'] & { readonly type: 'step-finished' },
): Promise<{ readonly [key: string]: Json }> {
  if (result === undefined) return {}
  const value =
    'value' in result
      ? result.value
      : JSON.parse((await host.blobs.get(result.blob)).toString('utf8'))
  return value as { readonly [key: string]: Json }
}

/** Those that name the run; what was issued to another one is not counted. */
function countCertificates({ folder }: Host, id: string): number {
  const chain = join(folder, 'certificates', 'chain')
  const names = existsSync(chain) ? readdirSync(chain) : []
  return names.filter((name) => readFileSync(join(chain, name), 'utf8').includes(id)).length
}
