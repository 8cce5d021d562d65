/** MCP servers that live as long as a run, and are paused while anything else runs. */

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, endOf, eventsOf, place, toolCalls } from './loop-fixture.ts'

const filesServer = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
)

test('a server cannot help a check while it runs, and works when it is called', async () => {
  const help = 'while :; do [ -e asked ] && touch helped; done'
  const at = place(`
prompt: Go.
mcp:
  files: { command: [sh, -c, '(${help}) & exec ${process.execPath} "$0" .', ${filesServer}] }
checks: { alone: touch asked; sleep 1; test -e helped }
agent:
  script: [[{ call: files__write_file, args: { path: a.txt, content: hello } }, { say: ok }]]
limits: { iterations: 2 }
`)
  const ended = await ctl(at, '--json', 'run', at.file, '--trust')
  expect(ended.stderr).toBe('')
  expect(eventsOf(ended, 'run-started')[0]).toMatchObject({ sandbox: { tier: 'strong' } })
  expect(toolCalls(ended)[0]).toMatchObject({ tool: 'files__write_file', ok: true })
  expect(readFileSync(join(at.work, 'a.txt'), 'utf8')).toBe('hello')
  expect(endOf(ended)).toMatchObject({ outcome: { type: 'exhausted' } })
  expect(existsSync(join(at.work, 'helped'))).toBe(false)
})
