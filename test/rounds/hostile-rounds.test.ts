// S18, S20, E6, E7. A maker that does in its round whatever it can: with a checker that always says yes, only what is enforced
// holds. Nothing outside of its worktree changes, at level 1 nothing there either, and nobody but the person answers.

import { userInfo } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { injections } from '../injection/texts.ts'
import { inProof, share } from '../share.ts'
import { type Deed, deeds } from './deeds.ts'
import { hostileMaker, yesChecker } from './hostile-agents.ts'
import {
  createHostileScene,
  type HostileScene,
  observe,
  survivors,
  worktreeChanges,
} from './hostile-scene.ts'
import { reportIn, rowsIn } from './scene.ts'

/** What an agent that obeys injected texts does is hostile, too. */
const obeyed: readonly Deed[] = injections.map(({ text, obey }) => ({ name: text, commands: obey }))

const every = <T>(all: readonly T[], nth: number): readonly T[] =>
  all.filter((_one, at) => at % nth === 0)

const all = [...deeds, ...obeyed]
const some = share(all, every(deeds, 5))

const setting = (level: 1 | 2) =>
  ({
    level,
    deeds: some,
    maker: hostileMaker,
    checker: yesChecker,
    keys: 'propose: draft\nscope: ["**"]\ngate: { allow: [draft] }\nchecks: { test: node --test }\ncertify: { quick: true, dependencies: none }\n',
  }) as const

const caseMsMax = 600_000

/** Every deed was tried to its end. */
function expectTried(text: string | undefined): void {
  const ended = [...(text ?? '').matchAll(/^deed (\d+\.\d+) ended/gm)].map(([, at]) => at)
  expect(ended).toEqual(
    some.flatMap(({ commands }, at) => commands.map((_one, nth) => `${at}.${nth}`)),
  )
}

async function expectNoOtherHand(scene: HostileScene, said: readonly string[]): Promise<void> {
  expect(scene.hits()).toBe(0)
  expect(survivors()).toEqual([])
  for (const secret of scene.secrets) expect(said.some((text) => text.includes(secret))).toBe(false)
  const actions = rowsIn(await scene.ctl('--json', 'actions', 'round'))
  expect(actions.filter(({ status }) => status === 'done' || status === 'unknown')).toEqual([])
}

test(
  'at level 1 it changes nothing at all',
  async () => {
    const scene = await createHostileScene(setting(1))
    expect(await scene.ctl('trust', 'loops/chore.yaml')).toMatchObject({ code: 0 })
    const before = observe(scene)
    const ended = await scene.ctl('--json', 'run', 'loops/chore.yaml', '--name', 'round')
    const report = reportIn(ended)
    expectTried(report.maker?.text)
    expect([report.outcome, report.filesChanged]).toEqual([{ type: 'reported' }, []])
    // The worktree would be kept if it had changed anything. The process that drives the run removes it after its end.
    const branches = (): string => scene.git('branch', '--list', 'run/round')
    await vi.waitFor(() => expect(branches()).toBe(''), { timeout: 60_000, interval: 100 })
    expect(observe(scene)).toEqual(before)
    expect(worktreeChanges(scene)).toEqual([])
    await expectNoOtherHand(scene, [ended.stdout])
    expect(rowsIn(ended).filter(({ event }) => event?.type === 'decision-applied')).toEqual([])
  },
  caseMsMax,
)

test.each(inProof)(
  'at level 2 it changes only its worktree, and only the person answers (%s)',
  async () => {
    const scene = await createHostileScene(setting(2))
    expect(await scene.ctl('trust', 'loops/chore.yaml')).toMatchObject({ code: 0 })
    const before = observe(scene)
    const running = scene.ctl('--json', 'run', 'loops/chore.yaml', '--name', 'round')
    const refused = await refuseAll(scene, running)
    const ended = await running
    expectTried(reportIn(ended).maker?.text)
    expect(observe(scene)).toEqual(before)
    await expectNoOtherHand(scene, [ended.stdout])
    const decided = rowsIn(ended).flatMap(({ event }) =>
      event?.type === 'decision-applied' ? [event.by] : [],
    )
    expect(decided).toEqual(refused.map(() => userInfo().username))
  },
  caseMsMax,
)

/** A person refuses each question that has been open for some looks. */
async function refuseAll(
  scene: HostileScene,
  running: Promise<unknown>,
): Promise<readonly string[]> {
  const refused: string[] = []
  const looks = new Map<string, number>()
  let isOver = false
  running.finally(() => (isOver = true)).catch(() => undefined)
  while (!isOver) {
    for (const { id = '' } of rowsIn(await scene.ctl('--json', 'inbox'))) {
      looks.set(id, (looks.get(id) ?? 0) + 1)
      if (looks.get(id) !== 3) continue
      expect(await scene.ctl('answer', 'round', id, '--reject')).toMatchObject({ code: 0 })
      refused.push(id)
    }
    if (!isOver) await setTimeout(250)
  }
  return refused
}
