/**
 * Notices functions that were replaced: assertions, test functions, and what runners compare, exit and time with.
 * The originals are kept before code of the repository loads. Fake timers and the like are restored by honest
 * tests, so what differs last counts.
 */

const assert: typeof import('node:assert') = require('node:assert')
const nodeTest: typeof import('node:test') = require('node:test')
const fs: typeof import('node:fs') = require('node:fs')
const util: typeof import('node:util') = require('node:util')
const vm: typeof import('node:vm') = require('node:vm')

type Holder = Readonly<Record<PropertyKey, unknown>>
type Send = (record: object) => void

interface Kept {
  readonly name: string
  readonly holder: Holder
  readonly key: PropertyKey
  readonly original: unknown
}

const { runInContext, createContext } = vm
const contextsMax = 4
const globals = ['expect', 'test', 'it', 'describe', 'assert', 'should']
const matchersKey = Symbol.for('$$jest-matchers-object')
const internalMatcher = Symbol.for('$$jest-internal-matcher')

const kept: Kept[] = []
/** Globals of test runners, kept when they are first seen. */
let contexts: {
  readonly scope: Holder
  readonly kept: Kept[]
  matchers?: Record<string, unknown>
}[] = []

function keep(into: Kept[], prefix: string, holder: object, keys: readonly string[]): void {
  for (const key of keys) {
    const original = (holder as Holder)[key]
    if (typeof original === 'function')
      into[into.length] = { name: `${prefix}${key}`, holder: holder as Holder, key, original }
  }
}

/** What every realm has of its own. */
function keepRealm(into: Kept[], scope: Holder): void {
  const realm = scope as unknown as typeof globalThis
  keep(into, 'Object.', realm.Object, [
    'is',
    'keys',
    'entries',
    'getOwnPropertyNames',
    'getPrototypeOf',
  ])
  keep(into, 'JSON.', realm.JSON, ['stringify', 'parse'])
  keep(into, 'Reflect.', realm.Reflect, ['apply', 'ownKeys', 'get', 'has'])
  keep(into, 'Array.prototype.', realm.Array.prototype, arrayMethods)
  keep(into, 'Function.prototype.', realm.Function.prototype, ['call', 'apply', 'bind'])
  keep(into, 'Promise.prototype.', realm.Promise.prototype, ['then', 'catch', 'finally'])
  keep(into, 'RegExp.prototype.', realm.RegExp.prototype, ['test', 'exec'])
  keep(into, 'String.prototype.', realm.String.prototype, ['includes', 'match', 'startsWith'])
  keep(into, 'Number.', realm.Number, ['isNaN'])
}

const arrayMethods = [
  'push',
  'map',
  'filter',
  'forEach',
  'some',
  'every',
  'includes',
  'indexOf',
  'join',
]
const timers = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'queueMicrotask',
  'Date',
]

function startWitness(send: Send): () => void {
  keepRealm(kept, globalThis)
  keep(kept, 'assert.', assert, Object.keys(assert))
  keep(kept, 'assert.strict.', assert.strict, Object.keys(assert.strict))
  keep(kept, 'test.', nodeTest, Object.keys(nodeTest))
  keep(kept, 'util.', util, ['isDeepStrictEqual', 'inspect'])
  keep(kept, 'process.', process, ['abort', 'kill', 'on', 'once'])
  // Vitest replaces these itself in its workers, and fails on an exit.
  if (process.env['LOOPWRIGHT_RUNNER'] !== 'vitest')
    keep(kept, 'process.', process, ['exit', 'reallyExit', 'emit'])
  keep(kept, 'fs.', fs, ['writeSync', 'readFileSync', 'writeFileSync', 'existsSync'])
  keep(kept, '', globalThis, timers)
  contexts = [{ scope: globalThis, kept: [] }]
  vm.createContext = function (...args: Parameters<typeof createContext>) {
    const context = createContext(...args)
    watchContext(context as Holder)
    return context
  }
  require('node:module').syncBuiltinESMExports()
  let last = ''
  return () => {
    const names: string[] = []
    compare(kept, names)
    for (const context of contexts) {
      compare(context.kept, names)
      keepGlobals(context)
      replacedMatchers(context, names)
    }
    let text = ''
    for (let index = 0; index < names.length; index += 1) text += `${names[index] ?? ''}\n`
    if (text === last) return
    last = text
    send({ type: 'replaced', names })
  }
}

/** Jest gives each test file a realm. Only the newest are held. */
function watchContext(context: Holder): void {
  try {
    const own: Kept[] = []
    keepRealm(own, runInContext('globalThis', context) as Holder)
    const [main, ...others] = contexts
    const newest = others.length < contextsMax ? others : others.slice(1)
    contexts = [...(main === undefined ? [] : [main]), ...newest, { scope: context, kept: own }]
  } catch {
    // A context without these is not one that tests run in.
  }
}

function compare(all: readonly Kept[], names: string[]): void {
  for (let index = 0; index < all.length; index += 1) {
    const one = all[index]
    if (one !== undefined && read(one.holder, one.key) !== one.original)
      names[names.length] = one.name
  }
}

function read(holder: Holder, key: PropertyKey): unknown {
  try {
    return holder[key]
  } catch {
    return undefined
  }
}

function keepGlobals({ scope, kept: own }: (typeof contexts)[number]): void {
  for (const key of globals) {
    const original = read(scope, key)
    if (typeof original !== 'function') continue
    let isKept = false
    for (let index = 0; index < own.length; index += 1) isKept ||= own[index]?.name === key
    if (!isKept) own[own.length] = { name: key, holder: scope, key, original }
  }
}

/** `expect.extend` with the name of a matcher that expect has itself: jest marks those of its own. */
function replacedMatchers(context: (typeof contexts)[number], names: string[]): void {
  const state = read(context.scope, matchersKey) as { readonly matchers?: Holder } | undefined
  const matchers = state?.matchers
  if (matchers === undefined) return
  const isFirst = context.matchers === undefined
  context.matchers ??= {}
  for (const name of ownMatchers) {
    const matcher = read(matchers, name)
    if (typeof matcher !== 'function') continue
    if (isFirst) context.matchers[name] = matcher
    const isOwn = read(matcher as never, internalMatcher) !== false
    if (!isOwn || context.matchers[name] !== matcher) names[names.length] = `expect.${name}`
  }
}

const ownMatchers = [
  'toBe',
  'toEqual',
  'toStrictEqual',
  'toMatch',
  'toMatchObject',
  'toContain',
  'toContainEqual',
  'toHaveLength',
  'toHaveProperty',
  'toBeCloseTo',
  'toBeDefined',
  'toBeUndefined',
  'toBeNull',
  'toBeNaN',
  'toBeTruthy',
  'toBeFalsy',
  'toBeGreaterThan',
  'toBeGreaterThanOrEqual',
  'toBeLessThan',
  'toBeLessThanOrEqual',
  'toBeInstanceOf',
  'toThrow',
  'toThrowError',
  'toHaveBeenCalled',
  'toHaveBeenCalledTimes',
  'toHaveBeenCalledWith',
]

module.exports = { startWitness }
