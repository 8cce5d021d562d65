import { expect, test } from 'vitest'
import { startDaemon } from './start-daemon.ts'

test.each(['/proc/nobody/state', '/dev/null/state'])(
  'a record that cannot be in %s is refused, and does not hang',
  async (folder) => {
    await expect(startDaemon({ folder })).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('--state') as string,
    })
  },
)
