/**
 * Reports the tests of tap: its main process parses the output of each test file. A test is a point of the file, or a
 * subtest; assertions inside a test are part of it.
 */

const { EventEmitter }: typeof import('node:events') = require('node:events')
const path: typeof import('node:path') = require('node:path')

type Send = (record: object) => void

interface Parser {
  readonly name?: string
  readonly parent?: Parser | null
}

interface Point {
  readonly ok: boolean
  readonly name: string
  readonly skip: unknown
  readonly todo: unknown
}

const { emit } = EventEmitter.prototype

/** From the parser of the whole run down. */
function listParsers(parser: Parser): readonly Parser[] {
  const chain = [parser]
  for (let up = parser.parent; up !== undefined && up !== null; up = up.parent) chain.unshift(up)
  return chain
}

function watchTap(send: Send): void {
  const subtests = new WeakMap<object, Set<string>>()
  const reported = new Set<string>()
  let lastFailure = ''
  const follow = (parser: Parser, point: Point): void => {
    // The output of each file is parsed twice, but only once as part of the whole run.
    const [whole, ...below] = listParsers(parser)
    if (whole?.name !== 'TAP') return
    const [file, ...titles] = [...below.map(({ name }) => name ?? ''), point.name]
    const isSkipped = Boolean(point.skip) || Boolean(point.todo)
    const isSubtest = subtests.get(parser)?.has(point.name) === true
    if (!point.ok && !isSubtest) lastFailure = point.name
    if (file === undefined || (below.length > 1 && !isSubtest && !isSkipped)) return
    // The result of the whole file counts only if it has no tests.
    if (titles.length === 0 && reported.has(file)) return
    reported.add(file)
    const status = isSkipped ? 'skipped' : point.ok ? 'passed' : 'failed'
    send({
      type: 'test',
      file: path.resolve(file),
      titles: titles.length === 0 ? ['(file)'] : titles,
      status,
      ...(status === 'failed' && titles.length > 0 ? { message: lastFailure.slice(0, 2000) } : {}),
    })
  }
  EventEmitter.prototype.emit = function (
    this: object,
    event: string | symbol,
    ...args: unknown[]
  ) {
    if (this.constructor.name === 'Parser') {
      if (event === 'child') {
        const names = subtests.get(this) ?? new Set()
        subtests.set(this, names.add((args[0] as Parser).name ?? ''))
      }
      if (event === 'assert') follow(this, args[0] as Point)
    }
    return emit.call(this as never, event, ...args)
  }
}

module.exports = { watchTap }
