import { expect, test } from 'vitest'
import { systemdUnit } from './systemd-unit.ts'

test('starts the program with its state folder, and stops it gracefully', () => {
  const unit = systemdUnit({ node: '/usr/bin/node', program: '/opt/loopd.js', state: '/srv/state' })
  expect(unit).toContain('ExecStart=/usr/bin/node /opt/loopd.js --state /srv/state\n')
  expect(unit).toContain('KillSignal=SIGTERM')
  expect(unit).toContain('WantedBy=default.target')
})

test('unusual paths stay one word and have no meaning to systemd', () => {
  const state = '/home/a "b" %h $HOME\\x'
  const unit = systemdUnit({ node: '/usr/bin/node', program: '/opt/loopd.js', state })
  expect(unit).toContain(`--state "/home/a \\"b\\" %%h $$HOME\\\\x"\n`)
})

test('a path with a line break is refused', () => {
  const state = '/home/a\nExecStartPre=/bin/sh'
  expect(() => systemdUnit({ node: 'node', program: 'loopd', state })).toThrow(/line breaks/)
})

test('a unit names its location, and finds the programs of the user who printed it', () => {
  const path = '/home/me/.local/bin:/usr/bin'
  const unit = systemdUnit({ node: 'node', program: 'loopd', path })
  expect(unit).toContain('~/.config/systemd/user/loopd.service')
  expect(unit).toContain(`\nEnvironment=PATH=${path}\n`)
})
