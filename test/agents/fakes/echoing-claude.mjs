// Claude Code's output for any prompt: it repeats the start of the prompt. With FAKE_SLOW it does
// that and never ends, and neither does its child.

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
const session_id = '00000000-0000-4000-8000-000000000001'
const said = (await text(process.stdin)).slice(0, 100)
const content = [{ type: 'text', text: said }]
print({ type: 'system', subtype: 'init', session_id, model: 'claude-sonnet-5' })
print({ type: 'assistant', message: { id: 'msg_1', role: 'assistant', content }, session_id })
if (process.env.FAKE_SLOW === '1') {
  spawn('sleep', ['60'], { stdio: 'ignore' })
  setInterval(() => undefined, 60_000)
} else {
  const end = {
    is_error: false,
    num_turns: 1,
    terminal_reason: 'completed',
    permission_denials: [],
  }
  print({ type: 'result', subtype: 'success', result: said, session_id, ...end })
}
