// The OpenAPI document is valid, and describes exactly what the router does.

import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Document, OperationObject } from '../../build/proof/api-values.js'
import { operations } from '../../src/daemon/index.ts'
import { openApi } from './api-fixture.ts'

let document: Document
let routes: readonly string[] = []

beforeAll(async () => {
  const { app, get } = await openApi({ lasts: 'file' })
  document = (await get('/openapi.json')).body as unknown as Document
  routes = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{.*?\})?/g, '{$1}')}`)
})

const documented = (): [string, OperationObject][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): [string, OperationObject] => [
      `${method.toUpperCase()} ${path}`,
      one,
    ]),
  )

describe('the OpenAPI document', () => {
  test('is valid by the official schema of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  test('is under the licence of the package', () => {
    const file = new URL('../../package.json', import.meta.url)
    const { license } = JSON.parse(readFileSync(file, 'utf8')) as { readonly license: string }
    expect(document).toMatchObject({ info: { license: { identifier: license } } })
  })

  test('has exactly the routes of the router', () => {
    expect(
      documented()
        .map(([name]) => name)
        .toSorted(),
    ).toEqual([...routes].toSorted())
    expect(new Set(routes).size).toBe(operations.length)
  })

  test('names every operation once, and describes it', () => {
    const ids = documented().map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, one] of documented()) {
      expect(one).toMatchObject({
        summary: expect.stringMatching(/\.$/),
        tags: [expect.any(String)],
      })
    }
  })

  test('has an example for each parameter and each body, which its schema allows', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false })
    formats.default(ajv)
    ajv.addSchema(document, 'api')
    for (const [name, { parameters, requestBody }] of documented()) {
      for (const { schema, example, name: parameter } of parameters) {
        expect(ajv.validate(schema, example), `${name} ${parameter}`).toBe(true)
      }
      const body = requestBody?.content['application/json']
      if (body === undefined) continue
      const resolved = JSON.parse(JSON.stringify(body.schema).replaceAll('"#/', '"api#/')) as object
      expect(ajv.validate(resolved, body.example), `${name} ${ajv.errorsText()}`).toBe(true)
    }
  })

  test('has no body for read operations, and bounds every parameter', () => {
    for (const [name, { parameters, requestBody }] of documented()) {
      expect(name.startsWith('GET ') && requestBody !== undefined).toBe(false)
      for (const { schema } of parameters) {
        const isBounded = ['maxLength', 'maximum', 'enum'].some((word) => word in schema)
        expect(isBounded || schema['type'] === 'boolean').toBe(true)
      }
    }
  })

  test('describes the refusals of every operation', () => {
    const always = ['400', '401', '403', '421', '500', '503']
    for (const [name, { responses }] of documented()) {
      const wanted = name.includes('{run}') ? [...always, '404', '409'] : always
      expect([name, ...Object.keys(responses)]).toEqual(expect.arrayContaining([name, ...wanted]))
    }
  })
})
