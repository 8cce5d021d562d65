import { expect, test } from 'vitest'
import { defaultLimits } from '../../loop/index.ts'
import { auditRound } from './readiness.ts'

const claude = {
  type: 'program',
  program: 'claude',
  args: [],
  env: [],
  timeoutMs: 1,
  idleMs: 1,
  subscription: false,
} as const
const codex = { ...claude, program: 'codex' } as const
const prompt = [
  { name: 'prompt', text: 'x', priority: 1, stable: false, keep: 'start', required: false },
] as const

const file = (level: 1 | 3, is: 'bare' | 'full'): Parameters<typeof auditRound>[0] => ({
  level,
  agents: { maker: claude, checker: is === 'full' ? codex : claude },
  checks:
    is === 'full'
      ? {
          test: {
            type: 'command',
            command: ['x'],
            env: {},
            timeoutMs: 1,
            existing: 'ask',
            outputs: [],
          },
        }
      : {},
  gate:
    is === 'full'
      ? { type: 'allow-list', allow: ['commit'], deny: ['.github/**'], maxFiles: 10 }
      : { type: 'always-escalate' },
  limits: is === 'full' ? { ...defaultLimits, tokens: 1000 } : defaultLimits,
  sandbox: {
    readOnly: [],
    hide: [],
    network: [],
    limits: {},
    ...(is === 'full' ? { require: 'strong' as const } : {}),
  },
  scope: is === 'full' ? ['src/**'] : [],
  settings: {
    intent: 'x',
    prompt: undefined,
    checkerPrompt: is === 'full' ? prompt : undefined,
    propose: { kind: 'commit' },
    gather: is === 'full' ? [{ type: 'outdated' }] : [],
    deliver: is === 'full' ? [{ type: 'stdout' }] : [],
    memory: is === 'full' ? { recall: 5 } : false,
    proposals: 3,
    turns: 12,
    permissions: { mode: 'default', deny: [], allow: [] },
    goal: undefined,
  },
})

test('a file that has everything is ready', () => {
  expect(auditRound(file(3, 'full'))).toEqual({ score: 100, missing: [] })
})

test('a file that has nothing says what to do, the most important first', () => {
  const { score, missing } = auditRound(file(3, 'bare'))
  expect(score).toBe(0)
  expect(missing.map((one) => one.split(':')[0])).toEqual([
    'agents.checker',
    'checks',
    'memory',
    'limits',
    'sandbox.require',
    'gate',
    'checkerPrompt',
    'scope',
    'gather',
    'deliver',
  ])
})

test('a round that only reports needs neither gate nor sandbox setting', () => {
  const { missing } = auditRound({
    ...file(1, 'bare'),
    settings: { ...file(1, 'bare').settings, propose: { kind: 'report' } },
  })
  expect(missing.map((one) => one.split(':')[0])).toEqual([
    'agents.checker',
    'memory',
    'limits',
    'checkerPrompt',
    'gather',
    'deliver',
  ])
})

test('an allow-list that lacks only denied paths is not told to allow what it allows', () => {
  const full = file(3, 'full')
  const adviceOf = (allow: readonly string[]): readonly string[] =>
    auditRound({ ...full, gate: { type: 'allow-list', allow, deny: [], maxFiles: 5 } }).missing
  expect(adviceOf(['commit'])).toEqual(['gate: list paths that always need a person (deny)'])
  expect(adviceOf([])).toEqual([expect.stringContaining('list what needs no person')])
})
