import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { defined } from '../../loop/index.ts'
import { type RequestShape, readRequest } from './read-request.ts'
import { matchRoute } from './route.ts'

function shapeOf(path: string, body: string): RequestShape {
  const route = matchRoute(path)
  if (route === undefined) throw new Error('no route')
  const shape = readRequest(route, Buffer.from(body))
  if ('problem' in shape) throw new Error(shape.problem)
  return shape
}

const anyName = fc.string().filter((name) => name !== '__proto__')
const anyValue = fc.jsonValue({ maxDepth: 4 })
const blank = fc.constantFrom('', ' ', '\n\t')

test('only the limit changes, whatever the request contains', () => {
  fc.assert(
    fc.property(
      fc.dictionary(anyName, anyValue, { maxKeys: 6 }),
      fc.option(fc.oneof(fc.nat(), fc.constant(null), fc.string()), { nil: undefined }),
      blank,
      (fields, limit, space) => {
        const body = {
          ...fields,
          background: false,
          model: 'm',
          ...defined({ max_tokens: limit }),
        }
        const text = `${space}${JSON.stringify(body, undefined, space)}${space}`
        const changed = shapeOf('/v1/messages', text).limitedTo(77, 'max_tokens').toString()
        expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), max_tokens: 77 })
        // Nothing else was rewritten: the surrounding text has the same length.
        const before = limit === undefined ? '' : JSON.stringify(limit)
        const after = limit === undefined ? '"max_tokens":77,' : '77'
        expect(changed.length - after.length).toBe(text.length - before.length)
      },
    ),
    { numRuns: 300 },
  )
})

test.each([
  ['{"generationConfig":{"temperature":1},"contents":[]}', { temperature: 1, maxOutputTokens: 9 }],
  ['{"generation_config":{"max_output_tokens":"5000"}}', { max_output_tokens: 9 }],
  ['{"generationConfig":{},"contents":[]}', { maxOutputTokens: 9 }],
  ['{"generationConfig":null}', { maxOutputTokens: 9 }],
  ['{}', { maxOutputTokens: 9 }],
])('the Gemini limit is found or inserted in %s', (text, config) => {
  const shape = shapeOf('/v1beta/models/g:streamGenerateContent', text)
  const changed = JSON.parse(shape.limitedTo(9, 'max_tokens').toString()) as Record<string, unknown>
  expect(changed['generationConfig'] ?? changed['generation_config']).toEqual(config)
  expect(shape).toMatchObject({ model: 'g', streamed: true })
})

test.each([
  ['{"model":"m","max_tokens":5}', 5],
  ['{"model":"m","max_tokens":"5"}', 5],
  ['{"model":"m","max_tokens":0}', undefined],
  ['{"model":"m","max_tokens":-1}', undefined],
  ['{"model":"m","max_tokens":1e400}', undefined],
  ['{"model":"m","max_tokens":2.5}', undefined],
  ['{"model":"m","max_tokens":null}', undefined],
])('the limit in %s is %s', (text, tokens) => {
  expect(shapeOf('/v1/messages', text).outputTokens).toBe(tokens)
})

test('both limits of the chat format are changed, and the smaller one counts', () => {
  const text = '{"model":"m","max_tokens":50,"max_completion_tokens":40,"n":3}'
  const shape = shapeOf('/chat/completions', text)
  expect(shape).toMatchObject({ outputTokens: 40, choices: 3 })
  expect(JSON.parse(shape.limitedTo(7, 'max_tokens').toString())).toMatchObject({
    max_tokens: 7,
    max_completion_tokens: 7,
  })
})

const file = { type: 'input_file', file_data: 'data:application/pdf;base64,AA' }
const picture = 'data:image/png;base64,AAAA'
const schema = { type: 'object', properties: { type: { type: 'string' } } }

test.each<[string, 'responses' | 'messages' | 'chat/completions' | 'gemini', object]>([
  ['a text', 'responses', { input: 'the "file_id": "x" is text', instructions: 'be brief' }],
  ['an unknown number', 'responses', { input: 'x', fancy: 5, other: null, more: false }],
  [
    'calls and their results',
    'responses',
    {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
        { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'AAAA' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"type":"url"}' },
        { type: 'function_call_output', call_id: 'c', output: 'x' },
        { type: 'tool_search_call', execution: 'client', arguments: {} },
        {
          type: 'tool_search_output',
          execution: 'client',
          tools: [{ type: 'function', name: 'f' }],
        },
        { role: 'user', content: [{ type: 'input_image', image_url: picture }] },
      ],
      tools: [
        { type: 'function', name: 'f', parameters: schema },
        { type: 'custom', name: 'patch', format: { type: 'grammar' } },
        { type: 'tool_search', execution: 'client', parameters: schema },
      ],
    },
  ],
  [
    'client-side tools',
    'messages',
    {
      system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'f', input_schema: schema, cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'adaptive' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: { type: 'url' } }] },
        { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: '' }] }] },
      ],
    },
  ],
  [
    'tools in the chat format',
    'chat/completions',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: picture } }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function' }] },
        { role: 'tool', tool_call_id: 'c', content: 'x' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    },
  ],
  [
    'Gemini tools',
    'gemini',
    {
      systemInstruction: { parts: [{ text: 'x' }] },
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { fileData: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { x: 1 } } }] },
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] },
      ],
    },
  ],
])('%s is self-contained (%s)', (_name, format, body) => {
  expect(askedBy(format, body).hasHiddenInput).toBe(false)
})

test.each<['responses' | 'messages' | 'chat/completions' | 'gemini', object | string]>([
  ['responses', { previous_response_id: 'r1' }],
  ['responses', { prompt: { id: 'pmpt_1' } }],
  ['responses', { conversation: 'conv_1' }],
  ['responses', { tools: [{ type: 'web_search' }] }],
  ['responses', { tools: [{ type: 'tool_search' }] }],
  ['responses', { input: [{ type: 'tool_search_output', tools: [] }] }],
  ['responses', { tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }],
  ['responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
  ['responses', { tools: [{ type: 'mcp', server_url: 'https://example.org' }] }],
  ['responses', { tools: [{ type: 'of tomorrow', name: 'f', parameters: {} }] }],
  ['responses', { input: [{ type: 'item_reference', id: 'rs' }] }],
  ['responses', { input: [{ type: 'reasoning', id: 'rs', summary: [] }] }],
  ['responses', { input: [{ role: 'user', content: [file] }] }],
  ['responses', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }],
  ['responses', { fancy_search: true }],
  ['responses', '{"model":"m","tools":[{"type":"web_search","type":"function","name":"f"}]}'],
  ['responses', '{"model":"m","input":[{"type":"item\\u005freference","id":"rs"}]}'],
  ['chat/completions', { web_search_options: {} }],
  ['chat/completions', { messages: [{ role: 'assistant', audio: { id: 'a' } }] }],
  ['chat/completions', { messages: [{ content: [{ type: 'file', file: { file_id: 'f' } }] }] }],
  [
    'chat/completions',
    {
      messages: [{ content: [{ type: 'image_url', image_url: { url: 'https://example.org/a' } }] }],
    },
  ],
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['messages', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
  ['messages', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  ['messages', { tools: [{ type: 'computer_20250124', name: 'computer' }] }],
  ['messages', { mcp_servers: [{ type: 'url', url: 'https://example.org' }] }],
  ['messages', { container: { skills: [{ skill_id: 'pptx' }] } }],
  ['messages', { messages: [{ content: [{ type: 'image', source: { type: 'url' } }] }] }],
  ['messages', { messages: [{ content: [{ type: 'document', source: { type: 'file' } }] }] }],
  ['messages', { messages: [{ content: [{ type: 'container_upload', file_id: 'f' }] }] }],
  ['gemini', { tools: [{ googleSearch: {} }] }],
  ['gemini', { tools: [{ functionDeclarations: [], url_context: {} }] }],
  ['gemini', { cachedContent: 'cachedContents/1' }],
  ['gemini', { contents: [{ parts: [{ fileData: { fileUri: 'https://example.org' } }] }] }],
  ['gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: '' } }] }] }],
])('the provider may add input to %s: %j', (format, body) => {
  expect(askedBy(format, body).hasHiddenInput).toBe(true)
})

function askedBy(format: string, body: object | string): RequestShape {
  const path = format === 'gemini' ? '/v1beta/models/m:generateContent' : `/v1/${format}`
  return shapeOf(path, typeof body === 'string' ? body : JSON.stringify({ model: 'm', ...body }))
}

test.each([
  ['many values', `[${'{},'.repeat(200_000)}{}]`],
  ['deeply nested values', `${'['.repeat(501)}${']'.repeat(501)}`],
])('a body with too %s is refused', (_name, value) => {
  const route = matchRoute('/v1/messages')
  if (route === undefined) throw new Error('no route')
  const text = `{"model":"m","messages":${value}}`
  expect(readRequest(route, Buffer.from(text))).toMatchObject({
    problem: expect.stringContaining('Send a smaller body.'),
  })
})

test('only the bytes and small values of a request stay in memory', () => {
  const text = `{"model":"m","messages":[${'{"a":1},'.repeat(90_000)}{}]}`
  const route = matchRoute('/v1/messages')
  if (route === undefined) throw new Error('no route')
  const before = heapBytes()
  const more = Array.from({ length: 20 }, () => readRequest(route, Buffer.from(text)))
  const grown = heapBytes() - before
  expect(more).toHaveLength(20)
  // One parsed body takes some five megabytes.
  expect(grown).toBeLessThan(20 * 500_000)
})

test('thinking needs room in the output', () => {
  const text = '{"model":"m","thinking":{"type":"enabled","budget_tokens":4000}}'
  expect(shapeOf('/v1/messages', text).outputTokensMin).toBe(4001)
})

/** After garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
