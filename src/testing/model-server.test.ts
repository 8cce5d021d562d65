import { expect, test } from 'vitest'
import { startModelServer } from './model-server.ts'

test('answers are sent in order, the last repeats, and every request is recorded', async () => {
  await using server = await startModelServer([{ text: 'one' }, { text: 'two' }])
  const ask = async (): Promise<unknown> => {
    const body = JSON.stringify({ model: 'm', messages: [], tools: [{ name: 'read' }] })
    const response = await fetch(`${server.url}/messages`, { method: 'POST', body })
    return response.json()
  }
  expect(await ask()).toMatchObject({ content: [{ type: 'text', text: 'one' }] })
  expect(await ask()).toMatchObject({ content: [{ type: 'text', text: 'two' }] })
  expect(await ask()).toMatchObject({ content: [{ type: 'text', text: 'two' }] })
  expect(server.requests).toHaveLength(3)
  expect(server.requests[0]).toMatchObject({ format: 'anthropic', model: 'm', tools: ['read'] })
})

test('a script may be a function of the request', async () => {
  await using server = await startModelServer(({ model }) => ({ text: `I am ${model}` }))
  const place = `${server.url}/models/flash:generateContent`
  const response = await fetch(place, { method: 'POST', body: '{}' })
  expect(JSON.stringify(await response.json())).toContain('I am flash')
})

test('any other path is not found, and an invalid request is an error', async () => {
  await using server = await startModelServer([{ text: 'one' }])
  expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404)
  const broken = await fetch(`${server.url}/messages`, { method: 'POST', body: 'no json' })
  expect(broken.status).toBe(500)
  expect(server.requests).toHaveLength(0)
})

const ways: readonly (readonly [string, string, object])[] = [
  ['anthropic', '/messages', { stream: true }],
  ['chat', '/chat/completions', { stream: true }],
  ['responses', '/responses', { stream: true }],
  ['gemini', '/models/flash:streamGenerateContent?alt=sse', {}],
]

async function streamed(url: string, body: object): Promise<string> {
  const init = { method: 'POST', body: JSON.stringify({ model: 'm', ...body }) }
  return (await fetch(url, init)).text().catch(() => 'broken')
}

/** The values of a key that a stream sends its text under, joined. */
const textOf = (stream: string): string =>
  [...stream.matchAll(/"(?:text|content|delta)":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, piece = '']) => JSON.parse(`"${piece}"`) as string)
    .join('')

test.each(ways)('a text is streamed in chunks that add up: %s', async (_name, path, body) => {
  const text = 'Grüße an alle 👋👋, "wirklich"'
  await using server = await startModelServer([{ text, pieces: 7 }])
  const stream = await streamed(`${server.url}${path}`, body)
  expect(textOf(stream)).toContain(text)
  expect(stream).toContain('"Grüß"')
})

test.each(ways)(
  'usage covers what was written until the connection broke: %s',
  async (_name, path, body) => {
    const usage = { input: 50, output: 100 }
    const speech = { text: 'x'.repeat(100), pieces: 10, usage }
    let afterEvents = 0
    await using server = await startModelServer(() => ({
      ...speech,
      fault: { does: 'cut', afterEvents },
    }))
    const outputs: number[] = []
    for (; afterEvents < 10; afterEvents += 3) {
      await streamed(`${server.url}${path}`, body)
      await expect.poll(() => server.bills.at(-1)?.output).toBeLessThan(100)
      outputs.push(server.bills.at(-1)?.output ?? -1)
    }
    expect(outputs[0]).toBe(0)
    expect(outputs.at(-1)).toBeGreaterThan(50)
    expect(outputs).toEqual(outputs.toSorted((a, b) => a - b))
    expect(server.bills.every(({ input }) => input === 50)).toBe(true)
  },
)

test('a server that reports no usage reports it nowhere', async () => {
  await using server = await startModelServer([{ text: 'ok', saysUsage: false }])
  for (const [, path, body] of ways) {
    const stream = await streamed(`${server.url}${path}`, body)
    expect(stream).toContain('ok')
    expect(stream).not.toMatch(/usage/i)
  }
  expect(server.bills[0]).toMatchObject({ input: 100, output: 20 })
})

test('token counting is not part of the script', async () => {
  await using server = await startModelServer([{ text: 'one' }])
  const answer = await fetch(`${server.url}/messages/count_tokens`, { method: 'POST', body: '{}' })
  expect(await answer.json()).toMatchObject({ input_tokens: 100 })
  expect(server.requests).toHaveLength(0)
})
