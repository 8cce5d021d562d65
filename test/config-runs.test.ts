// Settings reach runs: as limits that a loop file cannot exceed, as worktrees, names, models and
// checks.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { moreChecks, runLimits, runWorktree } from '../src/definition/config/apply-settings.ts'
import { loadLoop, planChecks, previewLoop, trustLoop } from '../src/host/index.ts'
import { planRun } from '../src/launch/plan/plan-run.ts'
import { planSchema } from '../src/protocol/api/index.ts'
import type { WorktreeSettings } from '../src/protocol/index.ts'
import { afterStory } from './after.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-settings-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function load(text: string, options: object = {}) {
  const folder = makeFolder()
  const file = join(folder, 'loop.yaml')
  writeFileSync(file, text)
  const record = join(folder, 'record')
  mkdirSync(record)
  await trustLoop(await previewLoop(file, record), record)
  const loaded = await loadLoop(file, { folder: record, here: folder, ...options })
  return { loaded, folder, record }
}

const plain = 'prompt: Do it.\nchecks: { test: "true" }\n'

describe('limits of the settings', () => {
  const file = { iterations: 50, tokens: 1000, costMicros: 10, timeMs: 100, sameErrors: 3 }

  test('lower those of a loop file and never raise them', () => {
    const settings = { limits: { iterations: 20, tokens: 5000 } }
    expect(runLimits(file, settings)).toEqual({ ...file, iterations: 20 })
  })

  test('are overridden by the command line', () => {
    const settings = { limits: { iterations: 20 } }
    expect(runLimits(file, settings, { iterations: 90 })).toEqual({ ...file, iterations: 90 })
  })

  test('lower those of one iteration, and leave those of an agent', () => {
    const agents = { maker: { calls: 3 } }
    const own = { ...file, outputTokens: 500, iteration: { timeMs: 9000, tokens: 10 }, agents }
    const limits = {
      outputTokens: 400,
      inputTokens: 300,
      iterationTimeMs: 5000,
      iterationTokens: 20,
    }
    expect(runLimits(own, { limits: { ...limits, iterationCostMicros: 7 } })).toEqual({
      ...own,
      inputTokens: 300,
      outputTokens: 400,
      iteration: { timeMs: 5000, tokens: 10, costMicros: 7 },
    })
    const given = { iteration: { timeMs: 6000 }, agents: { maker: { tokens: 8 } } }
    expect(runLimits(own, { limits }, given)).toMatchObject({
      iteration: { timeMs: 6000, tokens: 10 },
      agents: { maker: { calls: 3, tokens: 8 } },
    })
  })
})

describe('worktrees', () => {
  const file: WorktreeSettings = { use: 'auto', provider: 'auto', allowDirty: false }

  test('are created as the command line says, else the loop file, else the settings', () => {
    const settings = {
      worktree: { base: 'weak', path: 'weak', branchPrefix: 'weak/', provider: 'git' },
    } as const
    const asked = { base: 'strong' }
    expect(runWorktree({ ...file, path: 'of-file', base: 'of-file' }, settings, asked)).toEqual({
      use: true,
      provider: 'git',
      allowDirty: false,
      base: 'strong',
      path: 'of-file',
      branchPrefix: 'weak/',
    })
  })

  test('by Worktrunk use its program and configuration; with an option, all ignored files are copied', () => {
    const asked = {
      worktrunkProgram: '/opt/wt',
      worktrunkConfig: '/etc/wt.toml',
      copyIgnored: true,
    }
    expect(runWorktree(file, {}, asked)).toEqual({
      ...file,
      worktrunk: { program: '/opt/wt', configPath: '/etc/wt.toml' },
      carry: [{ path: '**', by: 'copy' }],
    })
  })
})

describe('a loop file', () => {
  test('that names no model gets the one of the settings, and the run keeps it', async () => {
    const { loaded } = await load(`${plain}agent: claude\n`, { defaultModel: 'claude-opus-4-5' })
    expect(loaded.agents['maker']).toMatchObject({ model: 'claude-opus-4-5' })
    expect(loaded.source.changes).toEqual({ model: 'claude-opus-4-5' })
    const own = await load(`${plain}agent: { program: claude, model: its-own }\n`, {
      defaultModel: 'another',
    })
    expect(own.loaded.agents['maker']).toMatchObject({ model: 'its-own' })
    const none = await load(`${plain}agent: { command: [agent] }\n`, { defaultModel: 'another' })
    expect(none.loaded.source.changes).toBeUndefined()
  })

  test('has the checks of the settings besides its own', async () => {
    const commands = ['npm test', 'npm run lint']
    const { loaded, folder } = await load(`${plain}agent: { command: [agent] }\n`, {
      ...moreChecks({ commands, timeoutMs: 5000 }),
    })
    const { checks } = await planChecks(loaded, folder)
    expect(checks.map(({ name, text, timeoutMs }) => [name, text, timeoutMs])).toEqual([
      ['test', 'true', 600_000],
      ['verify-1', 'npm test', 5000],
      ['verify-2', 'npm run lint', 5000],
    ])
    expect(loaded.source.changes).toEqual({ checks: { commands, timeoutMs: 5000 } })
  })
})

describe('a dry run', () => {
  test('shows what is known about the cost, and says in words what is not', async () => {
    const { loaded, folder, record } = await load(
      `${plain}agent: { model: anthropic/claude-sonnet-4-5, maxOutputTokens: 1000 }\n`,
    )
    const plan = await planRun({ folder: record }, loaded, {
      workspace: folder,
      worktree: false,
      attended: true,
    })
    expect(planSchema.parse(plan)).toEqual(plan)
    expect(plan.estimate).toMatchObject({
      billing: 'tokens',
      model: 'anthropic/claude-sonnet-4-5',
      price: { model: 'claude-sonnet-4-5', isEstimated: false },
      most: { iterations: 50, tokens: 2_000_000, costMicros: 5_000_000 },
    })
    const { iterationCostMicrosMin = 0, callCostMicrosMax = 0 } = plan.estimate ?? {}
    expect(iterationCostMicrosMin).toBeGreaterThan(0)
    // 1,000 output tokens at 15 dollars per million.
    expect(callCostMicrosMax - iterationCostMicrosMin).toBe(15_000)
    expect(plan.estimate?.unknown.length).toBeGreaterThan(0)
  })

  test('shows what the tokens can cost at most, if that is less than the money limit', async () => {
    const { loaded, folder, record } = await load(
      `${plain}agent: { model: anthropic/claude-sonnet-4-5 }\nlimits: { tokens: 1000 }\n`,
    )
    const plan = await planRun({ folder: record }, loaded, { workspace: folder, worktree: false })
    expect(plan.estimate?.most).toEqual({ iterations: 50, tokens: 1000, costMicros: 15_000 })
  })

  test.each([
    ['repair', 'nothing'],
    ['{ command: [my-agent] }', 'unknown'],
    ['{ program: claude, subscription: true }', 'subscription'],
    ['{ model: some/model, baseUrl: "http://127.0.0.1:9/v1" }', 'nothing'],
  ])('for the agent %s costs: %s', async (agent, billing) => {
    const { loaded, folder, record } = await load(`${plain}agent: ${agent}\n`)
    const plan = await planRun({ folder: record }, loaded, { workspace: folder, worktree: false })
    expect(plan.estimate?.billing).toBe(billing)
  })
})
