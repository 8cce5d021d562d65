// A scripted model with noise: it knows the right label of every ticket, and how often it says so depends on the prompt. It speaks
// the wire format of a provider, so the gateway treats it like one.

import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const folder = new URL('workload/', import.meta.url)
const labelOf = new Map(
  readdirSync(new URL('cases/', folder)).map((name) => [
    readFileSync(new URL(`cases/${name}`, folder), 'utf8').trim(),
    readFileSync(new URL(`expected/${name}`, folder), 'utf8').trim(),
  ]),
)
const labels = [...new Set(labelOf.values())]

/** What of the prompt matters, and how much: this is what the loop has to find out. */
function chanceOf(prompt) {
  const has = (text) => prompt.includes(text)
  return (
    0.35 +
    (has('billing, bug, feature, account.') ? 0.3 : 0) +
    (has('never another word') ? 0.35 : 0) +
    (has('what the customer wants done') ? 0.15 : 0) +
    (has('"Add a map view"') ? 0.1 : 0)
  )
}

export function answerOf(prompt, random) {
  const ticket = prompt.slice(prompt.indexOf('Ticket:') + 7).trim()
  const right = labelOf.get(ticket) ?? 'unknown'
  const isRight = random() < chanceOf(prompt)
  const label = isRight ? right : labels.filter((one) => one !== right)[Math.floor(random() * 3)]
  return prompt.includes('the label alone') ? label : `This looks like ${label}.`
}

/** Seeded, so that two runs with the same order of requests are the same. */
export function randomFrom(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export function startModel(seed = 7) {
  const random = randomFrom(seed)
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { model, messages } = JSON.parse(body)
    const prompt = messages.map(({ content }) => content).join('\n')
    const content = answerOf(prompt, random)
    const usage = { prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: 6 }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: 'scripted',
        object: 'chat.completion',
        created: 0,
        model,
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
      }),
    )
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      resolve({ url: `http://127.0.0.1:${port}/v1`, close: () => server.close() })
    })
  })
}
