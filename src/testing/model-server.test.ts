import { expect, test } from 'vitest'
import { startModelServer } from './model-server.ts'

test('answers come in order, the last repeats, and every request is kept', async () => {
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

test('a script may be a function of what was asked', async () => {
  await using server = await startModelServer(({ model }) => ({ text: `I am ${model}` }))
  const place = `${server.url}/models/flash:generateContent`
  const response = await fetch(place, { method: 'POST', body: '{}' })
  expect(JSON.stringify(await response.json())).toContain('I am flash')
})

test('whatever is not a model API is not found, and a request that is none is an error', async () => {
  await using server = await startModelServer([{ text: 'one' }])
  expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404)
  const broken = await fetch(`${server.url}/messages`, { method: 'POST', body: 'no json' })
  expect(broken.status).toBe(500)
  expect(server.requests).toHaveLength(0)
})
