/** Formats the changed part of a file as a patch, for judges. */

const contextLines = 3

export function formatChange(path: string, before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  const most = Math.min(old.length, fresh.length)
  let start = 0
  while (start < most && old[start] === fresh[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === fresh.at(-1 - end)) end++
  const from = Math.max(0, start - contextLines)
  const tail = Math.min(end, contextLines)
  const lines = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - end + tail).map((line) => ` ${line}`),
  ]
  const span = (length: number): string => `${from + 1},${length - end + tail - from}`
  const head = [`--- a/${path}`, `+++ b/${path}`]
  return [...head, `@@ -${span(old.length)} +${span(fresh.length)} @@`, ...lines, ''].join('\n')
}
