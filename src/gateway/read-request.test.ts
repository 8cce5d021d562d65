import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RequestShape, readRequest } from './read-request.ts'
import { routeOf } from './route.ts'

function shapeOf(path: string, body: string): RequestShape {
  const route = routeOf(path)
  if (route === undefined) throw new Error('no route')
  const shape = readRequest(route, Buffer.from(body))
  if ('problem' in shape) throw new Error(shape.problem)
  return shape
}

const anyName = fc.string().filter((name) => name !== '__proto__')
const anyValue = fc.jsonValue({ maxDepth: 4 })
const blank = fc.constantFrom('', ' ', '\n\t')

test('the limit is changed and nothing else, whatever a request holds', () => {
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
          ...(limit === undefined ? {} : { max_tokens: limit }),
        }
        const text = `${space}${JSON.stringify(body, undefined, space)}${space}`
        const changed = shapeOf('/v1/messages', text).limitedTo(77, 'max_tokens').toString()
        expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), max_tokens: 77 })
        // Nothing else was written anew: the text around it is as long as it was.
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
])('the limit of Gemini is found or made in %s', (text, config) => {
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

test('both limits of the chat format are changed, and the smaller counts', () => {
  const text = '{"model":"m","max_tokens":50,"max_completion_tokens":40,"n":3}'
  const shape = shapeOf('/chat/completions', text)
  expect(shape).toMatchObject({ outputTokens: 40, choices: 3 })
  expect(JSON.parse(shape.limitedTo(7, 'max_tokens').toString())).toMatchObject({
    max_tokens: 7,
    max_completion_tokens: 7,
  })
})

test.each([
  ['{"model":"m","previous_response_id":"r1"}', true],
  ['{"model":"m","input":[{"content":[{"type":"input_file","file_id":"f"}]}]}', true],
  ['{"model":"m","input":[{"image_url":"https://example.org/a.png"}]}', true],
  ['{"model":"m","input":"the \\"file_id\\": \\"x\\" is text"}', false],
  ['{"model":"m","messages":[{"image_url":{"url":"https://example.org/a.png"}}]}', true],
  ['{"model":"m","input":[{"arguments":{"url":"https://example.org","container":"web"}}]}', false],
  ['{"model":"m","previous_response_id":null}', false],
  ['{"model":"m","input":[{"image_url":"data:image/png;base64,AAAA"}]}', false],
])('hidden input in %s: %s', (text, isHidden) => {
  expect(shapeOf('/v1/responses', text).hasHiddenInput).toBe(isHidden)
})

test('thinking needs room in the output', () => {
  const text = '{"model":"m","thinking":{"type":"enabled","budget_tokens":4000}}'
  expect(shapeOf('/v1/messages', text).outputTokensMin).toBe(4001)
})
