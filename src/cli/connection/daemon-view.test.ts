import { expect, test } from 'vitest'
import { daemonFindings } from './daemon-view.ts'

const claude = { name: 'claude', state: 'no-key', keyVariable: 'ANTHROPIC_API_KEY' } as const

test('a daemon that sees the same is said to', () => {
  const [found] = daemonFindings({ pid: 7, agents: [claude], differs: [] })
  expect(found).toMatchObject({ mark: 'good', text: expect.stringContaining('the same') })
})

test('what it does not have is named, with what to do', () => {
  const missing = { name: 'codex', state: 'missing' } as const
  const [found] = daemonFindings({ pid: 7, agents: [claude, missing], differs: [claude, missing] })
  expect(found?.mark).toBe('warning')
  expect(found?.more?.join('\n')).toMatch(
    /claude: the daemon has no ANTHROPIC_API_KEY\ncodex: the daemon does not find it\n.*key file/,
  )
})
