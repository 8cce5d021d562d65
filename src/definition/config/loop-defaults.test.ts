import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseLoopFile } from '../loop-file/parse-loop-file.ts'
import { loopDefaults, withDefaultKeys } from './loop-defaults.ts'

test('settings become keys of build loops', async () => {
  const { defaults, models, agentTimeMs } = await loopDefaults({
    build: {
      specsDir: 'specs',
      plansDir: 'plans',
      review: true,
      reviewFailures: 5,
      reviewModel: 'anthropic/claude-opus-4-5',
      retries: 0,
      retryDelayMs: 5000,
      mergeTarget: 'agent/shop',
      mergeStrategy: 'merge',
      cleanUp: true,
      measure: 'npm run measure',
    },
    skills: { enabled: true, builtInDir: '/skills', dirs: ['.claude/skills'], maxChars: 500 },
    limits: { agentTimeMs: 600_000 },
  })
  expect(defaults).toEqual({
    build: {
      plans: 'plans',
      measure: 'npm run measure',
      review: { failures: 5 },
      retry: { times: 0, delay: '5000ms' },
      actions: [{ merge: { into: 'agent/shop', strategy: 'merge' } }, 'clean-up'],
      skills: { dirs: ['/skills', '.claude/skills'], chars: 500 },
    },
  })
  expect(models).toEqual({ reviewer: 'anthropic/claude-opus-4-5' })
  expect(agentTimeMs).toBe(600_000)
  expect(await loopDefaults({})).toEqual({})
})

test('they are valid keys, and the loop file overrides them', async () => {
  const { defaults = {} } = await loopDefaults({
    build: { reviewFailures: 5, completionMode: 'exact', measure: 'm', retries: 1, cleanUp: true },
    skills: { enabled: true },
  })
  const text = 'loop: build\nagent: claude\nchecks: { t: x }\nspec: a.md\nreview: { failures: 2 }\n'
  const { file } = await parseLoopFile(text, 'a.yaml', { defaults })
  expect(file.actions.map(({ kind }) => kind)).toEqual(['merge', 'clean-up'])
  expect(file.settings).toMatchObject({
    review: { failures: 2 },
    completion: { mode: 'exact' },
    measure: { command: 'm', timeoutMs: 600_000 },
    skills: { maker: 2, reviewer: 1, charsMax: 20_000 },
    retry: { times: 1 },
  })
  const written = JSON.parse('{ "then": [] }')
  expect(withDefaultKeys(written, { actions: ['merge'] })).toEqual(written)
})

test('the prompt file of the legacy format becomes a template', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-prompt-'))
  try {
    const promptFile = join(folder, 'prompt.txt')
    writeFileSync(promptFile, 'Read @SPEC_PATH and @PLAN_PATH.')
    const { defaults } = await loopDefaults({ build: { promptFile } })
    expect(defaults?.['build']).toEqual({
      prompt: 'Read @{{ spec_path }} and @{{ plan_path }}.',
    })
    await expect(loopDefaults({ build: { promptFile: `${promptFile}x` } })).rejects.toThrow(
      /which cannot be read/,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
