import { expect, test } from 'vitest'
import { createLoopPrinter, printedCharsMax } from './loop-prints.ts'

function start() {
  const lines: string[] = []
  const events: string[] = []
  const printer = createLoopPrinter({
    mask: (text) => text.replaceAll('hunter22', '***'),
    onLine: (line) => lines.push(line),
  })
  const listen = () =>
    printer.prints.listen((text) => {
      events.push(text)
      return true
    })
  return { ...printer, listen, lines, events }
}

test('lines that are printed together are one event', async () => {
  const { print, prints, listen, events, lines } = start()
  listen()
  print('a')
  print('b')
  await prints.flush()
  print('c')
  await prints.flush()
  await prints.flush()
  expect(events).toEqual(['a\nb', 'c'])
  expect(lines).toEqual([])
})

test('what is printed before and after a run goes elsewhere', async () => {
  const { print, listen, events, lines } = start()
  print('before')
  const stop = listen()
  print('within')
  stop()
  print('after')
  expect(events).toEqual(['within'])
  expect(lines).toEqual(['before', 'after'])
})

test('what a run does not take goes elsewhere', async () => {
  const { print, prints, lines } = start()
  prints.listen(() => false)
  print('late')
  await prints.flush()
  expect(lines).toEqual(['late'])
})

test('secrets are masked, also in a line that no run takes', async () => {
  const { print, prints, listen, events, lines } = start()
  print('password hunter22')
  listen()
  print('password hunter22')
  await prints.flush()
  expect([...lines, ...events]).toEqual(['password ***', 'password ***'])
})

test('E9: a loop that prints without end is cut off, in events of limited size', async () => {
  const { print, prints, listen, events } = start()
  listen()
  for (let count = 0; count < 100_000; count++) print('x'.repeat(count % 2000))
  await prints.flush()
  const text = events.join('\n')
  expect(text.length).toBeLessThan(printedCharsMax + 100)
  expect(text).toMatch(/\(too much output; the rest is not shown\)$/)
  for (const event of events) expect(event.length).toBeLessThan(8 * 1024 + 2000)
})
