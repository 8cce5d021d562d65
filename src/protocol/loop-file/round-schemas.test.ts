import { expect, test } from 'vitest'
import { deliverSchema } from './deliver-schema.ts'
import { gatherSchema } from './gather-schema.ts'

const gather = (written: unknown) => gatherSchema().safeParse(written)
const deliver = (written: unknown) => deliverSchema().safeParse(written)

test('sources are names or tables, with their defaults filled in', () => {
  const written = [
    'issues',
    { 'git-log': { since: '1d', after: 'v1.0.0' } },
    { 'ci-runs': { branch: 'main', logs: 1 } },
    { file: 'CHANGELOG.md' },
    'outdated',
  ]
  expect(gather(written).data).toEqual([
    { type: 'issues', state: 'open', limit: 30, remote: 'origin' },
    { type: 'git-log', commits: 50, sinceMs: 86_400_000, after: 'v1.0.0' },
    { type: 'ci-runs', only: 'failed', limit: 10, logs: 1, branch: 'main', remote: 'origin' },
    { type: 'file', path: 'CHANGELOG.md' },
    { type: 'outdated' },
  ])
})

test.each([
  [{ issues: {}, outdated: {} }],
  [{ file: '../secret' }],
  [{ file: '/etc/passwd' }],
  [{ 'ci-runs': { branch: '--exec=sh' } }],
  [{ 'git-diff': { from: '-x' } }],
  [{ issues: { label: '--repo=other/repo' } }],
  [{ issues: { remote: '--upload-pack=x' } }],
  ['git-diff'],
  ['shell'],
])('%j is not a source', (written) => {
  expect(gather([written]).success).toBe(false)
})

test('receivers are names or tables', () => {
  const written = [
    'stdout',
    'file',
    { file: 'triage' },
    { webhook: { url: 'https://hooks.example.com/x', secretEnv: 'HOOK' } },
    { slack: { urlEnv: 'SLACK_URL' } },
    { email: 'team@example.com' },
  ]
  expect(deliver(written).data).toEqual([
    { type: 'stdout' },
    { type: 'file', folder: '.' },
    { type: 'file', folder: 'triage' },
    {
      type: 'webhook',
      url: 'https://hooks.example.com/x',
      secretEnv: 'HOOK',
      timeoutMs: 30_000,
    },
    { type: 'slack', urlEnv: 'SLACK_URL' },
    { type: 'email', to: 'team@example.com' },
  ])
})

test.each([
  [{ email: 'a@example.com\nBcc: b@example.com' }],
  [{ email: '-oQ/tmp@example.com' }],
  [{ file: '../../home' }],
  [{ slack: { urlEnv: 'https://hooks.slack.com/x' } }],
  [{ email: 'a@b.org', file: 'x' }],
  ['email'],
])('%j is not a receiver', (written) => {
  expect(deliver([written]).success).toBe(false)
})
