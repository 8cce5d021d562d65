/**
 * Module hooks for the main process of ava: patches the module that tracks its workers to forward each event. That
 * module is internal to ava; if it changes, no test is reported.
 */

interface Loaded {
  readonly source?: string | ArrayBuffer | Uint8Array
}

/** Appended to the module, in which `RunStatus` is the class. */
const patch = `
;{
  const key = Symbol.for('loopwright.identity')
  const send = globalThis[key]
  delete globalThis[key]
  const statuses = { 'test-passed': 'passed', 'test-failed': 'failed', 'hook-failed': 'failed' }
  const original = RunStatus.prototype.emitStateChange
  RunStatus.prototype.emitStateChange = function (event) {
    const { type, testFile: file, title } = event
    const titles = [String(title)]
    const status = statuses[type]
    if (type === 'declared-test') send({ type: 'declared', file, titles })
    // The details contain the thrown value; the message is written by ava.
    const { summary, message: said = '', formattedError = '', formattedDetails = [] } = event.err ?? {}
    const details = formattedDetails.map(({ formatted }) => String(formatted))
    const texts = [summary, ...details, said, formattedError].filter(Boolean)
    const message = texts.join(' ').slice(0, 2000)
    if (status !== undefined)
      send({ type: 'test', file, titles, status, ...(status === 'failed' ? { message } : {}) })
    if ((type === 'selected-test' && event.skip) || (type === 'declared-test' && event.todo))
      send({ type: 'test', file, titles, status: 'skipped' })
    if (type === 'uncaught-exception' || type === 'missing-ava-import' || type === 'internal-error')
      if (file) send({ type: 'test', file, titles: ['(file)'], status: 'failed', message })
    return original.call(this, event)
  }
}
`

export async function load(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => Promise<Loaded>,
): Promise<Loaded> {
  const loaded = await next(url, context)
  if (!url.endsWith('/node_modules/ava/lib/run-status.js')) return loaded
  const source = loaded.source ?? ''
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
  return { ...loaded, source: `${text}${patch}` }
}
