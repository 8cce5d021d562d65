import { expect, test } from 'vitest'
import { CallTimeout, rejectPendingCalls, runWithTimeout } from './run-with-timeout.ts'

const never = (): Promise<void> => new Promise(() => undefined)

test('an endless loop is interrupted', async () => {
  const endless = (): never => {
    for (;;);
  }
  await expect(runWithTimeout(endless, 5)).rejects.toThrow(CallTimeout)
})

test('an endless wait is abandoned', async () => {
  await expect(runWithTimeout(never, 5)).rejects.toThrow(CallTimeout)
})

test('an error thrown elsewhere ends the wait at once', async () => {
  const waiting = runWithTimeout(never, 2 ** 30)
  rejectPendingCalls(new Error('thrown in a callback'))
  await expect(waiting).rejects.toThrow('thrown in a callback')
})

test('completed calls are not affected', async () => {
  await expect(runWithTimeout(async () => 'done', 2 ** 30)).resolves.toBe('done')
  rejectPendingCalls(new Error('late'))
})
