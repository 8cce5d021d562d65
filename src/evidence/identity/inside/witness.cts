/**
 * Detects replaced functions: assertions, test functions, and what runners use to compare, exit and measure time. The
 * originals are captured before code of the repository loads. Honest tests restore fake timers and the like, so only
 * the final state counts.
 */

const assert: typeof import('node:assert') = require('node:assert')
const nodeTest: typeof import('node:test') = require('node:test')
const fs: typeof import('node:fs') = require('node:fs')
const modules: typeof import('node:module') = require('node:module')
const util: typeof import('node:util') = require('node:util')
const vm: typeof import('node:vm') = require('node:vm')

type Holder = Readonly<Record<PropertyKey, unknown>>
type Send = (record: object) => void

interface Original {
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

const originals: Original[] = []
/** Globals of test runners, captured when they first appear. */
let contexts: {
  readonly scope: Holder
  readonly originals: Original[]
  matchers?: Record<string, unknown>
}[] = []

function capture(into: Original[], prefix: string, holder: object, keys: readonly string[]): void {
  for (const key of keys) {
    const original = read(holder as Holder, key)
    if (typeof original === 'function')
      into[into.length] = { name: `${prefix}${key}`, holder: holder as Holder, key, original }
  }
}

/** With these, tests compute what they expect and convert what they get. Tests often replace some of `Math` and `Date`. */
function captureComputing(into: Original[], realm: typeof globalThis): void {
  const kinds = ['Array', 'String', 'Number', 'Boolean', 'BigInt', 'Map', 'Set'] as const
  for (const kind of kinds) {
    const { prototype } = realm[kind]
    capture(into, `${kind}.prototype.`, prototype, Object.getOwnPropertyNames(prototype))
    captureAbsent(into, `${kind}.prototype.`, prototype)
    capture(into, `${kind}.`, realm[kind], Object.getOwnPropertyNames(realm[kind]))
  }
  captureAbsent(into, 'Object.prototype.', realm.Object.prototype)
  capture(
    into,
    'Math.',
    realm.Math,
    Object.getOwnPropertyNames(realm.Math).filter((name) => name !== 'random'),
  )
}

/** Methods that would decide how a value is compared or written, and that these do not have. */
function captureAbsent(into: Original[], prefix: string, holder: object): void {
  for (const key of ['toJSON', 'asymmetricMatch'])
    into[into.length] = {
      name: `${prefix}${key}`,
      holder: holder as Holder,
      key,
      original: (holder as Holder)[key],
    }
}

/** What every realm has separately. */
function captureRealm(into: Original[], scope: Holder): void {
  const realm = scope as unknown as typeof globalThis
  captureComputing(into, realm)
  capture(into, 'Object.', realm.Object, [
    'is',
    'keys',
    'entries',
    'getOwnPropertyNames',
    'getPrototypeOf',
  ])
  capture(into, 'JSON.', realm.JSON, ['stringify', 'parse'])
  capture(into, 'Reflect.', realm.Reflect, ['apply', 'ownKeys', 'get', 'has'])
  capture(into, 'Array.prototype.', realm.Array.prototype, arrayMethods)
  capture(into, 'Function.prototype.', realm.Function.prototype, ['call', 'apply', 'bind'])
  capture(into, 'Promise.prototype.', realm.Promise.prototype, ['then', 'catch', 'finally'])
  capture(into, 'RegExp.prototype.', realm.RegExp.prototype, ['test', 'exec'])
  capture(into, 'String.prototype.', realm.String.prototype, ['includes', 'match', 'startsWith'])
  capture(into, 'Number.', realm.Number, ['isNaN'])
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
  captureRealm(originals, globalThis)
  capture(originals, 'assert.', assert, Object.keys(assert))
  capture(originals, 'assert.strict.', assert.strict, Object.keys(assert.strict))
  capture(originals, 'test.', nodeTest, Object.keys(nodeTest))
  capture(originals, 'util.', util, ['isDeepStrictEqual', 'inspect'])
  capture(originals, 'process.', process, ['abort', 'kill', 'on', 'once'])
  // Vitest itself replaces these in its workers, and fails on an exit.
  if (process.env['LOOPWRIGHT_RUNNER'] !== 'vitest')
    capture(originals, 'process.', process, ['exit', 'reallyExit', 'emit'])
  capture(originals, 'fs.', fs, ['writeSync', 'readFileSync', 'writeFileSync', 'existsSync'])
  captureLoading(originals)
  capture(originals, '', globalThis, timers)
  contexts = [{ scope: globalThis, originals: [] }]
  vm.createContext = function (...args: Parameters<typeof createContext>) {
    const context = createContext(...args)
    watchContext(context as Holder)
    return context
  }
  const isHooked = watchHooks()
  modules.syncBuiltinESMExports()
  const isDebugged = watchDebugger()
  let last = ''
  return () => {
    const names: string[] = []
    compare(originals, names)
    if (isDebugged()) names[names.length] = 'the debugger'
    if (isHooked()) names[names.length] = 'how modules are loaded'
    for (const context of contexts) {
      compare(context.originals, names)
      captureGlobals(context)
      findReplacedMatchers(context, names)
    }
    let text = ''
    for (let index = 0; index < names.length; index += 1) text += `${names[index] ?? ''}\n`
    if (text === last) return
    last = text
    send({ type: 'replaced', names })
  }
}

/** Who loads modules can change tests before they run. */
function captureLoading(into: Original[]): void {
  const loader = modules as unknown as Record<string, Holder> & { readonly prototype: Holder }
  capture(into, 'module.', loader, ['_load', '_resolveFilename'])
  capture(into, 'module.prototype.', loader.prototype, ['_compile', 'load', 'require'])
  const { _extensions: extensions } = loader
  if (extensions !== undefined)
    capture(into, 'module._extensions', extensions, Object.keys(extensions))
}

function watchHooks(): () => boolean {
  let isUsed = false
  const loader = modules as unknown as Record<string, unknown>
  for (const name of ['register', 'registerHooks']) {
    const original = loader[name]
    if (typeof original !== 'function') continue
    loader[name] = function (this: unknown, ...args: unknown[]) {
      isUsed = true
      return Reflect.apply(original, this, args)
    }
  }
  return () => isUsed
}

type Inspector = Record<string, unknown> & { url?: () => string | undefined }

/** Through the inspector, code can change functions of tests in memory, and values in their frames. */
function watchDebugger(): () => boolean {
  const { binding } = process as unknown as { binding?: (name: string) => Inspector }
  let isUsed = false
  let calls: Inspector
  try {
    calls = binding?.('inspector') ?? {}
  } catch {
    return () => false
  }
  const use = (): void => {
    isUsed = true
  }
  for (const name of ['Connection', 'MainThreadConnection']) {
    const original = calls[name]
    if (typeof original !== 'function') continue
    calls[name] = new Proxy(original, {
      construct(target, args) {
        use()
        return Reflect.construct(target, args)
      },
    })
  }
  const { url } = calls
  const isOpen = (): boolean => url?.() !== undefined
  // A person may debug the check.
  const wasOpen = isOpen()
  return () => isUsed || isOpen() !== wasOpen
}

/** Jest creates a realm for each test file. Only the newest are tracked. */
function watchContext(context: Holder): void {
  try {
    const own: Original[] = []
    captureRealm(own, runInContext('globalThis', context) as Holder)
    const [main, ...others] = contexts
    const newest = others.length < contextsMax ? others : others.slice(1)
    contexts = [
      ...(main === undefined ? [] : [main]),
      ...newest,
      { scope: context, originals: own },
    ]
  } catch {
    // Tests do not run in a context without these.
  }
}

function compare(all: readonly Original[], names: string[]): void {
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

function captureGlobals({ scope, originals: own }: (typeof contexts)[number]): void {
  for (const key of globals) {
    const original = read(scope, key)
    if (typeof original !== 'function') continue
    let isCaptured = false
    for (let index = 0; index < own.length; index += 1) isCaptured ||= own[index]?.name === key
    if (!isCaptured) own[own.length] = { name: key, holder: scope, key, original }
  }
}

/** Finds `expect.extend` with the name of a built-in matcher; jest marks its own matchers. */
function findReplacedMatchers(context: (typeof contexts)[number], names: string[]): void {
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

const ownMatchers = `
  toBe toEqual toStrictEqual toMatch toMatchObject toContain toContainEqual toHaveLength
  toHaveProperty toBeCloseTo toBeDefined toBeUndefined toBeNull toBeNaN toBeTruthy toBeFalsy
  toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toBeInstanceOf
  toThrow toThrowError toHaveBeenCalled toHaveBeenCalledTimes toHaveBeenCalledWith`
  .trim()
  .split(/\s+/)

module.exports = { startWitness }
