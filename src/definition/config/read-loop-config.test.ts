import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loopConfigKeys } from '../../formats/loop-config-keys.ts'
import { configSchema } from '../../protocol/config/config-schema.ts'
import {
  settingRules,
  toConfig,
  toEnvironmentVariable,
} from '../../protocol/config/setting-rules.ts'
import { readLoopConfig } from './read-loop-config.ts'

const read = (text: string) => {
  const { entries, problems, notes } = readLoopConfig(text, '.loop/config', 'user')
  return { config: toConfig(entries.map(({ rule, value }) => [rule, value])), problems, notes }
}

describe('.loop/config in the legacy format', () => {
  test('is read unchanged: comments, quotes, its own values and units', () => {
    const { config, problems, notes } = read(`
# How loops run here.
iterations=50
model="opus"           # quotes go
log_dir = 'logs/# loop'
artifact_mode=mirror
run_naming_mode=haiku
run_naming_model=haiku
queue_policy=newest_first
worktree_path_template=../{{ repo }}.{{ run_branch | sanitize }}
worktrunk_copy_ignored=false
verify_cmds="npm test | npm run lint"
verify_timeout_sec=90
max_concurrent_runs=3
base_branch=
`)
    expect(problems).toEqual([])
    expect(notes).toEqual([])
    expect(config).toEqual({
      model: 'opus',
      limits: { iterations: 50 },
      artifacts: { logDir: 'logs/# loop', mode: 'mirror' },
      naming: { source: 'model', model: 'anthropic/claude-haiku-4-5' },
      daemon: { queuePolicy: 'newest-first', maxConcurrentRuns: 3 },
      worktree: { path: '../{{ repo }}.{{ run_branch | sanitize }}', copyIgnored: false },
      checks: { commands: ['npm test', 'npm run lint'], timeoutMs: 90_000 },
    })
  })

  test('every key of the format is a setting: those of the build loop, too', () => {
    const { config, problems, notes } = read(`
specs_dir=specs
plans_dir=specs/planning
review_model=opus
reviewer=true
completion_mode=exact
prompt_file=.loop/prompt.txt
context_files=docs/style.md docs/words.md
claude_timeout_sec=600
claude_retries=0
claude_retry_backoff_sec=5
merge_target_branch=agent/shop
merge_strategy=none
worktree_cleanup=true
summary_json=false
skills_enabled=true
skills_builtin_dir=skills
skills_sync_dir=~/.agent/skills
skills_sync_on_start=false
skills_dirs=.agent/skills, ~/.claude/skills
skills_max_selected_impl=2
skills_max_selected_review=1
skills_load_references=true
skills_max_body_chars=20000
max_consecutive_verification_failures=3
max_consecutive_review_failures=0
measure_cmd="npm run measure"
`)
    expect({ problems, notes }).toEqual({ problems: [], notes: [] })
    expect(config).toEqual({
      artifacts: { summary: false },
      limits: { agentTimeMs: 600_000 },
      build: {
        specsDir: 'specs',
        plansDir: 'specs/planning',
        reviewModel: 'anthropic/claude-opus-4-5',
        review: true,
        completionMode: 'exact',
        promptFile: '.loop/prompt.txt',
        contextFiles: ['docs/style.md', 'docs/words.md'],
        retries: 0,
        retryDelayMs: 5000,
        mergeTarget: 'agent/shop',
        mergeStrategy: 'none',
        cleanUp: true,
        verificationFailures: 3,
        reviewFailures: 100,
        measure: 'npm run measure',
      },
      skills: {
        enabled: true,
        builtInDir: 'skills',
        syncDir: '~/.agent/skills',
        syncOnStart: false,
        dirs: ['.agent/skills', '~/.claude/skills'],
        maxImplementation: 2,
        maxReview: 1,
        references: true,
        maxChars: 20_000,
      },
    })
  })

  test('has no other settings', () => {
    const names = settingRules.map(({ name }) => name)
    const used = Object.values(loopConfigKeys).map(({ name }) => name)
    expect(used.filter((name) => !names.includes(name))).toEqual([])
  })
})

describe('the table of settings', () => {
  const schema = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../../../schemas/config.schema.json'), 'utf8'),
  )
  const inSchema = Object.entries<{ properties?: object }>(schema.properties).flatMap(
    ([group, { properties }]) =>
      properties === undefined ? [group] : Object.keys(properties).map((key) => `${group}.${key}`),
  )

  test('has exactly the settings of the published schema', () => {
    expect(settingRules.map(({ name }) => name).toSorted()).toEqual(inSchema.toSorted())
  })

  test.each(settingRules.map((rule) => [rule.name, rule] as const))(
    '%s is the same from the environment and from a file',
    (name, rule) => {
      const [group = '', key = group] = name.split('.')
      const properties = schema.properties[group].properties ?? schema.properties
      const { examples = [], enum: choices = [], type } = properties[key]
      const written = examples[0] ?? choices[0] ?? (type === 'boolean' ? true : 'text')
      const parsed = configSchema.parse(
        name === group ? { [name]: written } : { [group]: { [key]: written } },
      )
      const text = Array.isArray(written) ? written.join('|') : String(written)
      const value = rule.read(text)
      expect(value).toBeDefined()
      expect(toConfig(value === undefined ? [] : [[rule, value]])).toEqual(parsed)
      expect(toEnvironmentVariable(rule)).toMatch(/^LOOPWRIGHT_[A-Z_]+$/)
    },
  )
})
