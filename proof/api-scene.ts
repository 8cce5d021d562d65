/** What random requests are sent to: a live daemon with runs of every kind, and names of what is there. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import type { Known } from './api-values.ts'
import { type LiveDaemon, trustedLoop } from './live-daemon.ts'

export interface Scene {
  readonly known: Known
  /** Makes those runs again that are gone. */
  refresh(): Promise<void>
}

/** Runs of every kind: one that completed in a worktree, one that ended badly, one at work, one that waits. */
export async function prepareScene(daemon: LiveDaemon): Promise<Scene> {
  const { folder, json, ask } = daemon
  const shop = makeRepository(join(folder, 'shop'))
  const line = loopText('echo line >> lines.txt', 'test -s lines.txt')
  const good = await trustedLoop(daemon, 'good', line)
  const bad = await trustedLoop(daemon, 'bad', loopText('true', 'test -s never.txt'))
  const long = await trustedLoop(daemon, 'long', loopText('sleep 600', 'true'))
  const sealed = `seals: { paths: [spec.txt], changes: ask }\n`
  const asks = loopText('echo line >> spec.txt', 'test -s spec.txt')
  const curious = await trustedLoop(daemon, 'curious', `${asks}${sealed}`)
  const [w1, w2, w3] = [join(folder, 'w1'), join(folder, 'w2'), join(folder, 'w3')]
  for (const path of [w1, w2, w3]) mkdirSync(path)
  const wanted = [
    { ...good, workspace: shop, worktree: { use: true, allowDirty: true }, name: 'otter-done' },
    { ...bad, workspace: w1, name: 'otter-lost', limits: { iterations: 1 } },
    { ...long, workspace: w2, name: 'busy-bee' },
    { ...long, workspace: w2, name: 'patient-bee' },
    { ...curious, workspace: w3, name: 'curious-cat' },
  ]
  /** Not there, or not at work any more where it should be. */
  const isWanted = async (name: string): Promise<boolean> => {
    const { status, text } = await ask({ method: 'GET', path: `/runs/${name}` })
    const { run } = JSON.parse(text) as { run?: { name: string; status: string } }
    // A beginning is enough for others.
    if (status !== 200 || run?.name !== name) return true
    if (!ends.includes(run.status) || name.startsWith('otter')) return false
    return (await ask({ method: 'DELETE', path: `/runs/${name}` })).status === 200
  }
  const refresh = async (): Promise<void> => {
    for (const one of wanted) {
      if (!(await isWanted(one.name))) continue
      // It asks about the very same change as the one before.
      if (one.workspace === w3) writeFileSync(join(w3, 'spec.txt'), 'a line\n')
      await json('POST', '/runs', { ...one, attended: true, again: true })
      if (one.name.startsWith('otter')) await untilEnded(daemon, one.name)
    }
  }
  await refresh()
  const asked = await untilAsked(daemon)
  const { items } = (await json('GET', '/certificates')) as { items: { id: string }[] }
  const names = wanted.map(({ name }) => name)
  const known = {
    ...knownPlaces(folder, [good.file, bad.file]),
    'answerQuestion.run': fc.constant('curious-cat'),
    run: fc.constantFrom(...names, ...names.map((name) => name.slice(0, 8)), 'otter', 'bee'),
    id: fc.constantFrom(...items.map(({ id }) => id), '5f2b8d10'),
    question: fc.constant(asked.id),
    answer: fc.constantFrom(...(asked.question.options ?? []), 'perhaps'),
    trust: fc.constantFrom(good.trust, good.trust, good.trust, bad.trust, 'x'),
  }
  return { known, refresh }
}

/** Nothing but these is ever worked in. */
function knownPlaces(folder: string, loops: readonly string[]): Known {
  const inside = (name: string): string => join(folder, name)
  const [shop, w1] = [inside('shop'), inside('w1')]
  const odd = ['none', 'none\0', 'shop/README.md', 'shop/README.md/x', 'x'.repeat(300)]
  const folders = [...Array<string>(9).fill(shop), ...Array<string>(5).fill(w1), ...odd.map(inside)]
  const [good = ''] = loops
  const files = [
    good,
    good,
    good,
    ...loops,
    inside('none.yaml'),
    inside('shop/README.md'),
    inside('shop'),
  ]
  return {
    n: fc.constantFrom(0, 1, 2),
    iteration: fc.constantFrom(0, 1, 2, 100),
    path: fc.constantFrom('summary.json', 'report.tsv', 'otter-lost', inside('w1'), '../x'),
    file: fc.constantFrom(...files),
    workspace: fc.constantFrom(...folders),
    here: fc.constantFrom(...folders),
    cursor: fc.constantFrom('1', '2', 'WzFd', 'WzEsMV0', 'W10', 'bm8', '____'),
    name: fc.oneof(fc.stringMatching(/^[a-z]{3,10}-[a-z]{3,10}$/), fc.string({ maxLength: 20 })),
    model: fc.constantFrom('none/none', 'x', '/', 'anthropic/'),
    limits: fc.constantFrom(...limits),
    worktree: mostly({}, { use: true }, { use: false }, { base: 'main' }, { base: '-x' }),
    changes: mostly({}, { prompt: 'x' }, { model: 'none/none' }),
    input: mostly({}, { goal: 'x' }),
    settings: fc.constant({}),
  }
}

const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))

const limits = [{}, { iterations: 1 }, { iterations: 0 }, { tokens: 1e15 }, { timeMs: 1 }]

export function makeRepository(path: string): string {
  mkdirSync(path)
  writeFileSync(join(path, 'README.md'), 'A shop.\n')
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'one'],
  ]) {
    execFileSync('git', ['-C', path, ...who, ...args], { stdio: 'ignore' })
  }
  return path
}

export const loopText = (command: string, check: string): string => `name: lines
prompt: Add a line.
agent: { command: [sh, -c, ${JSON.stringify(command)}] }
checks:
  there: ${JSON.stringify(check)}
certify: { dependencies: none, teeth: false }
limits: { iterations: 2 }
`

const ends = ['completed', 'exhausted', 'stuck', 'failed', 'stopped', 'cancelled']

interface AskedQuestion {
  readonly id: string
  readonly question: { readonly options?: readonly string[] }
}

async function untilAsked({ json }: LiveDaemon): Promise<AskedQuestion> {
  for (let tries = 0; tries < 600; tries++) {
    const { items } = (await json('GET', '/questions')) as { items: readonly AskedQuestion[] }
    if (items[0] !== undefined) return items[0]
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('Nothing is asked.')
}

export async function untilEnded({ json }: LiveDaemon, run: string): Promise<void> {
  for (let tries = 0; tries < 1800; tries++) {
    const { run: row } = (await json('GET', `/runs/${run}`)) as { run: { status: string } }
    if (ends.includes(row.status)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`Run ${run} does not end.`)
}
