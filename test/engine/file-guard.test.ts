// Files are counted before a tool of ours changes one too many, and after each step otherwise.

import { describe, expect, test } from 'vitest'
import type { Agents, Escalation, Tools } from '../../src/engine/index.ts'
import type { Decision, RunId } from '../../src/loop/index.ts'
import { always, withChanges } from './escalation-fixture.ts'
import { createWorld, loopOf, memoryWorkspace, moments, type World, worldAfter } from './fixture.ts'

/** An agent that writes the next files, until a call fails. `perIteration`: how many it wants. */
function createScene(perIteration: number, escalation: Partial<Escalation> = {}) {
  const workspace = withChanges(memoryWorkspace({ 'a.ts': 'base' }))
  const refused: string[] = []
  const tools: Tools = {
    changes: (_name, args) => (args as { path: string }).path,
    async call(_name, args) {
      workspace.files.set((args as { path: string }).path, 'new')
      return { ok: true, output: 'written' }
    },
  }
  const agents: Agents = {
    async work(_role, _task, context) {
      for (let at = 0; at < perIteration; at++) {
        const path = `src/${(context.iteration - 1) * perIteration + at}.ts`
        const { ok, error, output } = await context.callTool('write', { path })
        if (!ok) {
          refused.push(`${error}: ${JSON.stringify(output)}`)
          break
        }
      }
      return { status: 'done', text: 'ok', usage: { tokens: 0, costMicros: 0 }, turns: 1 }
    },
  }
  const loop = loopOf<number>(
    async (_previous, it) => {
      await it.agent('maker', { prompt: `${it.number}` })
      return it.number
    },
    { until: [{ type: 'max-iterations', iterations: 3 }] },
  )
  const parts = { workspace, tools, agents, escalation: { ...always, ...escalation } }
  return { world: createWorld(parts), loop, workspace, refused, parts }
}

const answer = (iteration: number, choice: string): Decision => ({
  type: 'answer',
  question: `${iteration}/ask:escalation#1`,
  answer: choice,
})

async function happened(world: World, id: RunId): Promise<readonly unknown[]> {
  const started = await world.only(id, 'step-started')
  return started.flatMap(({ iteration, question }) =>
    question === undefined ? [] : [iteration, ...(question.evidence?.happened ?? [])],
  )
}

describe('before the file that is one too many', () => {
  test('the call is refused, a person is asked, and after approve the run goes on', async () => {
    const { world, loop, workspace, refused } = createScene(15)
    const id = await world.start(loop)
    await world.decide(id, answer(2, 'approve'))
    await world.finish(id, loop)
    expect(refused).toEqual([expect.stringMatching(/^too-many-files: "20 files are changed/)])
    expect(await happened(world, id)).toEqual([
      2,
      'The run changed 20 files, and its agent wants to change src/20.ts as well; without approval it may change 20.',
    ])
    expect(workspace.files.has('src/20.ts')).toBe(false)
    expect(workspace.files.has('src/44.ts')).toBe(true)
    expect((await world.state(id)).attempts.approvedFiles).toBe(20)
  })

  test('without an answer the run ends, and the file was never changed', async () => {
    const { world, loop, workspace } = createScene(30)
    const id = await world.start(loop)
    await world.finish(id, loop)
    expect((await world.state(id)).outcome).toMatchObject({
      type: 'stuck',
      condition: 'escalate.too-many-files',
    })
    expect([...workspace.files.keys()].filter((path) => path.startsWith('src/'))).toHaveLength(20)
  })

  test('with override, nothing is refused any more', async () => {
    const { world, loop, workspace, refused } = createScene(25)
    const id = await world.start(loop)
    await world.decide(id, answer(1, 'override'))
    await world.finish(id, loop)
    expect(refused).toHaveLength(1)
    expect(workspace.files.has('src/74.ts')).toBe(true)
  })

  test('E2: from any prefix of the journal, the same question is asked once', async () => {
    const { world, loop, parts } = createScene(25)
    const id = await world.start(loop, { limits: { iterations: 2 } })
    await world.decide(id, answer(1, 'terminate'))
    await world.finish(id, loop)
    const events = await world.events(id)
    for (const count of moments(events)) {
      const later = await worldAfter(events, count, { ...parts, blobs: world.blobs })
      await later.finish(id, loop)
      const { outcome, attention } = await later.state(id)
      expect([outcome?.type, attention.questions]).toEqual(['stuck', 1])
    }
  })
})

describe('files per iteration', () => {
  const thresholds = { ...always.thresholds, filesPer: 'iteration' as const }

  test('each iteration may change as many files, and none is refused', async () => {
    const { world, loop, workspace, refused } = createScene(20, { thresholds })
    const id = await world.start(loop)
    await world.finish(id, loop)
    expect(refused).toEqual([])
    expect(workspace.files.has('src/59.ts')).toBe(true)
    expect(await happened(world, id)).toEqual([])
  })

  test('an approval is for one iteration', async () => {
    const { world, loop, refused } = createScene(21, { thresholds })
    const id = await world.start(loop)
    await world.decide(id, answer(1, 'approve'))
    await world.decide(id, answer(2, 'approve'))
    await world.finish(id, loop)
    expect(refused).toHaveLength(3)
    const asked = await happened(world, id)
    expect(asked[1]).toContain('The iteration changed 20 files, and its agent wants')
    expect((await world.state(id)).attempts.approvedFiles).toBe(0)
  })
})
