// Analyzing a run that has ended, by its journal and by a model.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPostmortem } from '../src/host/analyze-run.ts'
import { analyzeRun, plainLoop, writeRunFolder } from '../src/host/index.ts'
import { nameRun } from '../src/launch/name-run.ts'
import { createSharedGateway } from '../src/launch/shared-gateway.ts'
import type { AgentReport } from '../src/loop/index.ts'
import { type ModelRequest, startModelServer } from '../src/testing/index.ts'
import { afterStory } from './after.ts'
import { newFolder, newHost } from './host-fixture.ts'

const loop = plainLoop({ version: '1', prompt: 'Make it two.' })

const report = (status: AgentReport['status']): AgentReport => ({
  status,
  text: 'done, I think',
  usage: { tokens: 10, costMicros: 5 },
  turns: 1,
})

async function runThatEnds(how: {
  readonly status?: AgentReport['status']
  readonly fails?: boolean
  readonly met?: boolean
}): Promise<{ readonly host: Awaited<ReturnType<typeof newHost>>; readonly id: string }> {
  const host = await newHost()
  let number = 0
  const handle = await host.start(loop, {
    input: {},
    name: 'looked-at',
    limits: { iterations: 3 },
    agents: {
      async work() {
        if (how.fails === true) throw new Error('the disk is on fire')
        return report(how.status ?? 'done')
      },
    },
    checks: {
      two: async () => ({ status: how.met === true ? 'met' : 'not-met', output: `${number++}` }),
    },
  })
  await handle.done
  return { host, id: handle.id }
}

test.each([
  ['none', { met: true }],
  ['implementation-deviation', {}],
  ['spec-gap', { status: 'needs-context' }],
  ['execution-failure', { fails: true }],
] as const)('the root cause %s is found in the journal', async (rootCause, how) => {
  const { host, id } = await runThatEnds(how)
  const found = await readPostmortem(host, id)
  expect(found).toMatchObject({ rootCause, madeBy: 'built-in', spent: { costMicros: 0 } })
  expect(found?.documents.map(({ path }) => path)).toEqual([
    'analysis/run-quality.md',
    'analysis/spec-compliance.md',
    'analysis/summary.md',
  ])
  expect(found?.documents[1]?.text).toContain('Make it two.')
})

test('the analysis quotes an agent that could not continue, and says how to see its report', async () => {
  const { host, id } = await runThatEnds({ status: 'blocked' })
  const summary = (await readPostmortem(host, id))?.documents.at(-1)?.text
  expect(summary).toContain('blocked or needed more context, at last: done, I think')
  expect(summary).toContain('loopctl show looked-at')
})

async function startGateway(
  answer: (request: ModelRequest, number: number) => { readonly text: string },
): Promise<ReturnType<typeof createSharedGateway>> {
  const server = await startModelServer(answer)
  const gateway = createSharedGateway({
    ANTHROPIC_API_KEY: 'sk-ant-canary-key',
    ANTHROPIC_BASE_URL: server.url,
    XDG_CONFIG_HOME: newFolder(),
  })
  afterStory(async () => {
    await gateway.close()
    await server[Symbol.asyncDispose]()
  })
  return gateway
}

const model = 'anthropic/claude-haiku-4-5'

test('a model analyzes the run if asked, is paid for, and its answer is in the files', async () => {
  const { host, id } = await runThatEnds({})
  await writeRunFolder(host, id, { mode: 'global' })
  const models = await startGateway((_request, number) => ({
    text: number === 3 ? 'Bad luck.\nRoot cause: spec gap' : `Words ${number}.`,
  }))
  const made = await analyzeRun({ ...host, models }, id, { model })
  expect(made).toMatchObject({ status: 'ok', rootCause: 'spec-gap', madeBy: model })
  expect(made.spent.tokens).toBeGreaterThan(0)
  expect(await readPostmortem(host, id)).toEqual(made)
  const folder = join(host.folder, 'runs', `run-${id}`)
  expect(readFileSync(join(folder, 'analysis', 'run-quality.md'), 'utf8')).toBe('Words 1.')
  const rows = readFileSync(join(folder, 'report.tsv'), 'utf8')
  expect(rows.match(/POSTMORTEM_END/g)).toHaveLength(1)
  expect(rows).not.toContain('canary')
  expect((await host.inspect(id)).run.status).toBe('exhausted')
})

test('a run that has not ended is not analyzed', async () => {
  const host = await newHost()
  const stop = new AbortController()
  stop.abort()
  await (await host.start(loop, { input: {}, name: 'open', signal: stop.signal })).done
  await expect(analyzeRun(host, 'open')).rejects.toMatchObject({ code: 'wrong-status' })
  expect(await readPostmortem(host, 'open')).toBeUndefined()
})

test('a run is named by a model if there is one, and from its text if that fails', async () => {
  const host = await newHost()
  const asked = { loop: 'fix', about: () => 'Fix the parser.', model }
  const models = await startGateway((_request, number) => ({
    text: ['Fix The Parser!', 'fix-the-parser\nand more', '???'][number - 1] ?? '',
  }))
  const first = await nameRun({ ...host, models }, asked)
  expect(first).toEqual({ name: 'fix-the-parser', source: 'model' })
  await (await host.start(loop, { input: {}, name: first.name, limits: { iterations: 1 } })).done
  const second = await nameRun({ ...host, models }, asked)
  expect(second).toEqual({ name: 'fix-the-parser-2', source: 'model' })
  const third = await nameRun({ ...host, models }, asked)
  expect(third).toMatchObject({
    source: 'built-in',
    name: expect.stringMatching(/^[a-z]+(-[a-z]+){1,3}$/),
  })
  const file = await nameRun(host, { ...asked, source: 'file' })
  expect(file).toEqual({ name: 'fix', source: 'file' })
})
