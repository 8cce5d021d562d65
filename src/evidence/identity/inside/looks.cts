/**
 * Reports which files of the tree its code opens or looks for: the innermost file of the repository on the stack, and the
 * path. Product code that reads its tests can pass them without doing the work, and no other run would show it.
 *
 * It wraps the functions below `node:fs`, so it does not matter how that is called. Each pair is sent once and at once.
 */

const path: typeof import('node:path') = require('node:path')

type Send = (record: object) => void
type Call = (this: unknown, ...args: unknown[]) => unknown
type Binding = Record<string, Call | undefined>

const { resolve } = path
const top = `${process.cwd()}/`
const { create } = Object
const framesMax = 60
/** The system opens no longer ones. */
const pathCharsMax = 4095
/** Beyond it, only that there were more. */
const perFileMax = 500

const watched = [
  'open',
  'openFileHandle',
  'readFileUtf8',
  'existsSync',
  'access',
  'stat',
  'readdir',
  'copyFile',
]

/** By the file that looked: how many, and which. */
const seen = create(null) as Record<string, { count: number; readonly paths: Record<string, true> }>

function startLooks(send: Send): void {
  const { binding } = process as unknown as { binding?: (name: string) => Binding }
  let calls: Binding
  try {
    calls = binding?.('fs') ?? {}
  } catch {
    return
  }
  for (const name of watched) {
    const original = calls[name]
    if (typeof original !== 'function') continue
    calls[name] = function (this: unknown, ...args: unknown[]) {
      note(send, args[0])
      return original.apply(this, args)
    }
  }
}

function note(send: Send, given: unknown): void {
  if (typeof given !== 'string' && !(given instanceof Uint8Array)) return
  const at = resolve(String(given))
  if (at.length > pathCharsMax || !isInTree(at)) return
  const by = findCaller()
  if (by === '' || by === at) return
  seen[by] ??= { count: 0, paths: create(null) as Record<string, true> }
  const { paths } = seen[by]
  if (paths[at] === true || seen[by].count > perFileMax) return
  paths[at] = true
  seen[by].count += 1
  send({ type: 'looked', by, at: seen[by].count > perFileMax ? '*' : at })
}

const isInTree = (file: string): boolean =>
  `${file}/`.startsWith(top) && !file.includes('/node_modules/')

/** The innermost file of the tree on the stack; `(eval)`: code that is not in a file; empty: neither. */
function findCaller(): string {
  const { prepareStackTrace, stackTraceLimit } = Error
  try {
    Error.prepareStackTrace = (_error, sites) => sites
    Error.stackTraceLimit = framesMax
    const sites = new Error('looks').stack as unknown as readonly NodeJS.CallSite[]
    Error.stackTraceLimit = stackTraceLimit
    Error.prepareStackTrace = prepareStackTrace
    for (let index = 0; index < sites.length; index += 1) {
      const file = toFile(sites[index])
      if (file === '(eval)' || (file !== '' && isInTree(file))) return file
    }
    return ''
  } catch {
    // The code under test prevents it.
    return '(eval)'
  }
}

function toFile(site: NodeJS.CallSite | undefined): string {
  const origin = site?.isEval() === true ? (site.getEvalOrigin() ?? '') : ''
  const name =
    /\(((?:file:\/\/)?\/[^()]*?)(?::\d+){0,2}\)/.exec(origin)?.[1] ?? site?.getFileName() ?? ''
  if (name === '[eval]' || name === '[worker eval]' || name.startsWith('evalmachine.'))
    return '(eval)'
  const file = name.startsWith('file://') ? decodeURI(name.slice('file://'.length)) : name
  return file.startsWith('/') ? file.replace(/\?.*$/, '') : ''
}

module.exports = { startLooks }
