import { expect, test } from 'vitest'
import { systemdUnit } from './systemd-unit.ts'

test('starts the program with its record, and stops it in good order', () => {
  const unit = systemdUnit({ node: '/usr/bin/node', program: '/opt/loopd.js', state: '/srv/state' })
  expect(unit).toContain('ExecStart=/usr/bin/node /opt/loopd.js --state /srv/state\n')
  expect(unit).toContain('KillSignal=SIGTERM')
  expect(unit).toContain('WantedBy=default.target')
})

test('odd paths stay one word and mean nothing to systemd', () => {
  const state = '/home/a "b" %h $HOME\\x'
  const unit = systemdUnit({ node: '/usr/bin/node', program: '/opt/loopd.js', state })
  expect(unit).toContain(`--state "/home/a \\"b\\" %%h $$HOME\\\\x"\n`)
})

test('a path of two lines is refused', () => {
  const state = '/home/a\nExecStartPre=/bin/sh'
  expect(() => systemdUnit({ node: 'node', program: 'loopd', state })).toThrow(/line breaks/)
})

test('a unit says where it goes, and finds the programs of whoever printed it', () => {
  const path = '/home/me/.local/bin:/usr/bin'
  const unit = systemdUnit({ node: 'node', program: 'loopd', path })
  expect(unit).toContain('~/.config/systemd/user/loopd.service')
  expect(unit).toContain(`\nEnvironment=PATH=${path}\n`)
})
