import { expect, test } from 'vitest'
import { bounded, giveUpWaiting, TooLong } from './bounded.ts'

const never = (): Promise<void> => new Promise(() => undefined)

test('what loops without a pause is broken off', async () => {
  const endless = (): never => {
    for (;;);
  }
  await expect(bounded(endless, 5)).rejects.toThrow(TooLong)
})

test('what waits for ever is no longer waited for', async () => {
  await expect(bounded(never, 5)).rejects.toThrow(TooLong)
})

test('what was thrown elsewhere ends the wait at once', async () => {
  const waiting = bounded(never, 2 ** 30)
  giveUpWaiting(new Error('thrown in a callback'))
  await expect(waiting).rejects.toThrow('thrown in a callback')
})

test('it does not touch what has ended', async () => {
  await expect(bounded(async () => 'done', 2 ** 30)).resolves.toBe('done')
  giveUpWaiting(new Error('late'))
})
