/** An agent program: sends what it reads to the model, through the gateway, and runs every command that it gets. */

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env
const messages = [
  { role: 'user', content: readFileSync(0, 'utf8') },
  { role: 'user', content: readFileSync('README.md', 'utf8') },
]

for (let turn = 0; turn < 30; turn++) {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-4.1', max_completion_tokens: 1000, messages }),
  })
  const answer = await response.json()
  const message = answer.choices?.[0]?.message
  if (message === undefined) throw new Error(JSON.stringify(answer))
  messages.push(message)
  if (message.tool_calls === undefined) {
    process.stdout.write(`${message.content}\n`)
    break
  }
  for (const call of message.tool_calls) {
    const { command } = JSON.parse(call.function.arguments)
    messages.push({ role: 'tool', tool_call_id: call.id, content: await outputOf(command) })
  }
}

function outputOf(command) {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { timeout: 30_000 }, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`.slice(0, 10_000)),
    )
  })
}
