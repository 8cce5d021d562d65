import { expect, test } from 'vitest'
import { daemonFindings } from './daemon-view.ts'

const claude = { name: 'claude', state: 'no-key', keyVariable: 'ANTHROPIC_API_KEY' } as const

test('reports a daemon that sees the same agents', () => {
  const [found] = daemonFindings({ pid: 7, agents: [claude], differs: [] })
  expect(found).toMatchObject({ mark: 'good', text: expect.stringContaining('the same') })
})

test('names what the daemon lacks, and what to do', () => {
  const missing = { name: 'codex', state: 'missing' } as const
  const [found] = daemonFindings({ pid: 7, agents: [claude, missing], differs: [claude, missing] })
  expect(found?.mark).toBe('warning')
  expect(found?.more?.join('\n')).toMatch(
    /claude: the daemon has no ANTHROPIC_API_KEY\ncodex: the daemon cannot find it\n.*key file/,
  )
})
