import { describe, expect, test } from 'vitest'
import { createManualClock } from './manual-clock.ts'

describe('a clock that the test moves', () => {
  test('stands still by itself', async () => {
    const clock = createManualClock(50)
    void clock.sleep(1)
    await clock.settle()
    expect(clock.now()).toBe(50)
    expect(clock.alarms).toEqual([51])
  })

  test('wakes sleepers in the order of their times, each at its own', async () => {
    const clock = createManualClock(0)
    const woke: [string, number][] = []
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms)
      woke.push([name, clock.now()])
    }
    void sleeper('late', 30)
    void sleeper('early', 10).then(() => sleeper('again', 10))
    void sleeper('never', 100)
    await clock.advance(40)
    expect(woke).toEqual([
      ['early', 10],
      ['again', 20],
      ['late', 30],
    ])
    expect(clock.now()).toBe(40)
    expect(clock.alarms).toEqual([100])
  })

  test('ends a sleep when its signal aborts, before or during it', async () => {
    const clock = createManualClock(0)
    const stop = new AbortController()
    const during = clock.sleep(10, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(during).rejects.toThrow('stopped')
    await expect(clock.sleep(10, stop.signal)).rejects.toThrow('stopped')
    expect(clock.alarms).toEqual([])
  })

  test('passes as much time as some work needs', async () => {
    const clock = createManualClock(0)
    const work = clock.sleep(3_600_000).then(() => clock.now())
    expect(await clock.pass(work)).toBe(3_600_000)
    await expect(
      clock.pass(clock.sleep(5).then(() => Promise.reject(new Error('no')))),
    ).rejects.toThrow('no')
  })
})
