import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { FaultError, type Json, type ToolContext, type ToolResult } from '../loop/index.ts'
import { createTools } from './create-tools.ts'
import { defineTool, type Tool, type ToolDefinition, ToolError } from './tool.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-registry-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const context = (signal = new AbortController().signal): ToolContext => ({
  signal,
  attempt: 1,
  spend: () => {},
  reserve: async () => ({ settle: async () => {} }),
  iteration: 1,
  workspace: undefined,
})

type Run = ToolDefinition<z.ZodObject>['run']

const tool = (run: Run, more: Partial<Tool> = {}): Tool =>
  defineTool({
    name: 'work',
    description: 'Works.',
    parameters: z.object({}),
    risk: 'read-only',
    run,
    ...(more as object),
  })

const callOnce = (one: Tool, args: Json = {}): Promise<ToolResult> =>
  createTools({ tools: [one], spillFolder: join(folder, 'spill') }).call(one.name, args, context())

const circular: unknown[] = []
circular.push(circular)

describe('the result of a tool', () => {
  test.each<[string, Run, ToolResult]>([
    ['text', () => 'done', { ok: true, output: 'done' }],
    ['data', async () => ({ a: [1, null] }), { ok: true, output: { a: [1, null] } }],
    ['nothing', () => undefined as unknown as Json, { ok: true, output: null }],
    [
      'a result',
      () => ({ ok: false, output: 'no', error: 'x' }),
      { ok: false, output: 'no', error: 'x' },
    ],
    [
      'data with a property ok',
      () => ({ ok: true, name: 'x' }),
      { ok: true, output: { ok: true, name: 'x' } },
    ],
  ])('is recorded: %s', async (_, run, expected) => {
    expect(await callOnce(tool(run))).toEqual(expected)
  })

  test('is frozen, as it would be when read from the journal', async () => {
    const { output } = await callOnce(tool(() => ({ a: { b: 1 } })))
    expect(Object.isFrozen(output)).toBe(true)
  })

  test.each<[string, unknown]>([
    ['a date', new Date(0)],
    ['NaN', Number.NaN],
    ['a function', () => {}],
    ['a circular value', circular],
  ])('is a failure if it cannot be stored: %s', async (_, output) => {
    const result = await callOnce(tool(() => ({ output }) as unknown as Json))
    expect(result).toMatchObject({ ok: false, error: 'tool-failed' })
    expect(result.output).toContain('work returned a value that cannot be stored: $.output')
  })
})

describe('an error thrown by a tool becomes data', () => {
  test.each<[string, unknown, string, string]>([
    ['its own error', new ToolError('not-found', 'It is gone.'), 'not-found', 'It is gone.'],
    ['any error', new TypeError('x is not a function'), 'tool-failed', 'x is not a function'],
    [
      'a fault',
      new FaultError({ code: 'budget', message: 'spent', retryable: false }),
      'budget',
      'spent',
    ],
    ['text', 'why', 'tool-failed', 'why'],
    ['nothing', undefined, 'tool-failed', 'undefined'],
    ['a trap', Object.create(null), 'tool-failed', 'cannot be shown'],
  ])('%s', async (_, thrown, code, text) => {
    for (const run of [() => fail(thrown), async () => fail(thrown)]) {
      const result = await callOnce(tool(run))
      expect(result).toMatchObject({ ok: false, error: code })
      expect(result.output).toContain(text)
    }
  })

  test('even if its message is endless', async () => {
    const { output } = await callOnce(tool(() => fail(new Error('x'.repeat(1_000_000)))))
    expect(output).toHaveLength(4000)
  })

  test('even if the schema throws', async () => {
    const parameters = z.object({ a: z.string().refine(() => fail(new Error('broken check'))) })
    const result = await callOnce(
      tool(() => 'ran', { parameters }),
      { a: 'x' },
    )
    expect(result).toMatchObject({ ok: false, error: 'tool-failed', output: 'broken check' })
  })
})

function fail(thrown: unknown): never {
  throw thrown
}

describe('the time limit', () => {
  test('aborts the signal of a tool that listens to it', async () => {
    let heard = false
    const run: Run = (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          heard = true
          reject(new Error('stopped'))
        })
      })
    const result = await callOnce(tool(run, { timeoutMs: 20 }))
    expect(result).toMatchObject({ ok: false, error: 'timeout' })
    expect(result.output).toContain('work took longer than 0.02 s')
    expect(heard).toBe(true)
  })

  test('ends the call of a tool that does not listen', async () => {
    const deaf = tool(() => new Promise(() => {}), { timeoutMs: 20 })
    const result = await createTools({ tools: [deaf], graceMs: 20 }).call('work', {}, context())
    expect(result).toMatchObject({ ok: false, error: 'timeout' })
  })

  test('waits for a stopped tool to clean up', async () => {
    const steps: string[] = []
    const run: Run = async (_args, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await new Promise((resolve) => setTimeout(resolve, 50))
      steps.push('cleaned')
      return 'late'
    }
    const result = await callOnce(tool(run, { timeoutMs: 20 }))
    steps.push('returned')
    expect(result).toMatchObject({ ok: false, error: 'timeout' })
    expect(steps).toEqual(['cleaned', 'returned'])
  })

  test('leaves no listener and no timer after a call', async () => {
    let listeners = 0
    const signal = {
      aborted: false,
      reason: undefined,
      throwIfAborted: () => {},
      addEventListener: () => void listeners++,
      removeEventListener: () => void listeners--,
    }
    const tools = createTools({ tools: [tool(() => 'done')] })
    await tools.call('work', {}, context(signal as unknown as AbortSignal))
    expect(listeners).toBe(0)
  })
})

describe('the end of the run', () => {
  test('is thrown, not returned', async () => {
    const abort = new AbortController()
    const reason = new Error('cancelled')
    const run: Run = (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        abort.abort(reason)
      })
    const tools = createTools({ tools: [tool(run)] })
    await expect(tools.call('work', {}, context(abort.signal))).rejects.toBe(reason)
    await expect(tools.call('work', {}, context(abort.signal))).rejects.toBe(reason)
  })
})

describe('long output', () => {
  test('is shown by its two ends, and stored', async () => {
    const text = `begin ${'x'.repeat(50_000)} end`
    const result = await callOnce(tool(() => text))
    expect(result.spilled).toEqual({ file: '@output/1.txt', bytes: text.length })
    expect(result.output).toMatch(
      /^begin x+\n\n\[20010 of 50010 characters are left out\. The whole is in @output\/1\.txt: read it.*\]\n\nx+ end$/,
    )
    expect(await readFile(join(folder, 'spill/1.txt'), 'utf8')).toBe(text)
  })

  test('that is data becomes text', async () => {
    const data = Array.from({ length: 10_000 }, (_, index) => index)
    const result = await callOnce(tool(() => data))
    expect(result.output).toMatch(/^\[0,1,2,/)
    expect(JSON.parse(await readFile(join(folder, 'spill/1.txt'), 'utf8'))).toEqual(data)
  })

  test('is shortened to the limit of the tool, also for failures, never within a character', async () => {
    const run: Run = () => ({ ok: false, error: 'x', output: '😀'.repeat(100) })
    const result = await callOnce(tool(run, { outputCharsMax: 51 }))
    expect(result).toMatchObject({ ok: false, error: 'x' })
    expect(result.output).toMatch(/^(😀){12}\n\n\[.*\]\n\n(😀){13}$/u)
  })

  test('is shortened without a folder, or with one that cannot be written', async () => {
    const long = tool(() => 'x'.repeat(50_000))
    await writeFile(join(folder, 'file'), '')
    for (const options of [{}, { spillFolder: join(folder, 'file/below') }]) {
      const result = await createTools({ tools: [long], ...options }).call('work', {}, context())
      expect(result).toMatchObject({ ok: true })
      expect(result.output).toContain('They were not kept: ask for less at a time.')
      expect(result).not.toHaveProperty('spilled')
    }
  })

  test('of a later process gets other names', async () => {
    const long = tool(() => 'x'.repeat(50_000))
    expect((await callOnce(long)).spilled?.file).toBe('@output/1.txt')
    expect((await callOnce(long)).spilled?.file).toBe('@output/2.txt')
  })

  test('creates no folder before it is needed', async () => {
    await callOnce(tool(() => 'short'))
    expect(existsSync(join(folder, 'spill'))).toBe(false)
  })
})

describe('the list', () => {
  const named = (name: string): Tool => tool(() => name, { name })

  test('has the same order, whatever the order of the tools', async () => {
    const names = async (tools: readonly Tool[]): Promise<readonly string[]> =>
      ((await createTools({ tools }).list?.()) ?? []).map(({ name }) => name)
    const tools = ['b', 'a_2', 'a', 'c__x', 'B'].map(named)
    expect(await names(tools)).toEqual(['B', 'a', 'a_2', 'b', 'c__x'])
    expect(await names(tools.toReversed())).toEqual(['B', 'a', 'a_2', 'b', 'c__x'])
  })

  test('has the JSON Schema of the arguments', async () => {
    const parameters = z.object({
      path: z.string().describe('Where.'),
      depth: z.number().default(1),
    })
    const one = tool(() => null, { parameters, risk: 'network' })
    const foreign = tool(() => null, { name: 'x', parameters: { type: 'object', custom: true } })
    expect(await createTools({ tools: [one, foreign] }).list?.()).toEqual([
      {
        name: 'work',
        description: 'Works.',
        risk: 'network',
        parameters: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'Where.' },
            depth: { type: 'number', default: 1 },
          },
          required: ['path'],
          additionalProperties: false,
        },
      },
      {
        name: 'x',
        description: 'Works.',
        risk: 'read-only',
        parameters: { type: 'object', custom: true },
      },
    ])
  })

  test('accepts foreign schemas with any keys', async () => {
    const parameters = { type: 'object', _zod: {}, _def: {}, parse: true, safeParseAsync: 'x' }
    const tools = createTools({ tools: [tool(() => 'ran', { parameters })] })
    expect(await tools.call('work', { any: 1 }, context())).toEqual({ ok: true, output: 'ran' })
  })

  test.each([
    ['two tools with one name', [named('a'), named('a')], 'Two tools are named "a"'],
    ['no name', [named('')], 'needs a name'],
    ['a name with a space', [named('a b')], 'needs a name'],
    ['a name with a digit first', [named('1a')], 'needs a name'],
    ['a name of 65', [named('a'.repeat(65))], 'needs a name'],
    ['no risk', [tool(() => null, { risk: 'none' as 'network' })], 'needs a risk'],
    ['no schema', [tool(() => null, { parameters: null as unknown as z.ZodObject })], 'a schema'],
    [
      'zod 3',
      [tool(() => null, { parameters: { parse: () => {} } as unknown as z.ZodObject })],
      'zod 4',
    ],
    ['no time', [tool(() => null, { timeoutMs: 0 })], 'limits above zero'],
    ['NaN characters', [tool(() => null, { outputCharsMax: Number.NaN })], 'limits above zero'],
  ])('refuses %s', (_, tools, text) => {
    expect(() => createTools({ tools })).toThrow(
      expect.objectContaining({ code: 'bad-request', message: expect.stringContaining(text) }),
    )
  })
})

test('arguments are as the schema returns them', async () => {
  const seen: unknown[] = []
  const one = defineTool({
    name: 'work',
    description: '',
    parameters: z.object({ n: z.coerce.number(), list: z.array(z.string()).default(['x']) }),
    risk: 'read-only',
    run: ({ n, list }) => {
      seen.push(n, list)
      return null
    },
  })
  await callOnce(one, { n: '5' })
  expect(seen).toEqual([5, ['x']])
})

test('a tool is informed of a replayed call, and its errors are ignored', () => {
  const told: unknown[] = []
  const replayed: NonNullable<Tool['replayed']> = (...all) => {
    told.push(...all)
    throw new Error('no')
  }
  const tools = createTools({ tools: [tool(() => null, { replayed })] })
  const result = { ok: true, output: 'x' }
  const at = { iteration: 3, workspace: undefined }
  for (const name of ['work', 'unknown']) tools.replayed?.(name, { a: 1 }, result, at)
  expect(told).toEqual([{ a: 1 }, result, at])
})
