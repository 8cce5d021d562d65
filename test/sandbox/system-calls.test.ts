// Escapes that use neither files nor network: kernel settings, keyrings, terminals, setuid files. As root most
// of them would work even without capabilities.

import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { drive, identities, newFolder } from './fixture.ts'

/** Perl is part of every Debian and can make any system call. */
const hasPerl = existsSync('/usr/bin/perl') && process.arch === 'x64'

describe.each(identities)('in the sandbox of %s', (identity) => {
  async function run(program: string, args: readonly string[]): Promise<string> {
    const workspace = await newFolder(identity)
    const commands = [{ program, args, timeoutMs: 30_000 }]
    const { results } = await drive(identity, { place: { workspace }, commands })
    return results[0]?.stdout ?? ''
  }
  const shell = (script: string): Promise<string> => run('sh', ['-c', script])

  test('no kernel setting can be opened for writing', async () => {
    const script = `for file in kernel/core_pattern kernel/hostname kernel/modprobe vm/overcommit_memory \\
        fs/suid_dumpable user/max_user_namespaces net/ipv4/ip_forward; do
      (: >> /proc/sys/$file) 2> /dev/null && echo "$file"
    done
    for file in /proc/sysrq-trigger /proc/1/oom_score_adj /proc/self/uid_map; do
      (: >> $file) 2> /dev/null && echo "$file"
    done
    echo end`
    expect(await shell(script)).toBe('end\n')
  })

  test('there are no capabilities, none can be gained, and the filter is active', async () => {
    const status = await shell('cat /proc/self/status')
    const values = (name: string): readonly string[] =>
      [...status.matchAll(new RegExp(`^${name}:\\s*(\\S+)`, 'gm'))].map(([, value]) => value ?? '')
    for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
      expect([name, ...values(name)]).toEqual([name, '0000000000000000'])
    }
    expect(values('NoNewPrivs')).toEqual(['1'])
    expect(values('Seccomp')).toEqual(['2'])
  })

  test('the files of the first process in /proc are hidden', async () => {
    const script = `ls -A /proc/1 /proc/1/. /proc/2/root/proc/1 | grep -v :
      for file in mem environ fd/0 root/etc comm task/1/mem; do
        [ -e /proc/1/$file ] && echo "$file"
      done
      (: >> /proc/1/mem) 2> /dev/null && echo written
      touch /proc/1/x 2> /dev/null && echo made
      echo end`
    expect((await shell(script)).trim().split('\n').filter(Boolean)).toEqual(['end'])
  })

  test.skipIf(!hasPerl)('the first process cannot be traced, read or written', async () => {
    // Attach and seize, also with a pid whose lower half is 1; then its memory and its descriptors.
    const script = `use strict; my $vector = pack('QQ', 0x1000, 8);
      my %calls = ('attach' => [101, 16, 1, 0, 0], 'seize' => [101, 0x4206, 1, 0, 0],
        'cut' => [101, 16, (1 << 32) + 1, 0, 0], 'read' => [310, 1, $vector, 1, $vector, 1, 0],
        'write' => [311, 1, $vector, 1, $vector, 1, 0],
        'descriptor' => [438, syscall(434, 1, 0), 0, 0]);
      for my $name (sort keys %calls) {
        my @call = @{$calls{$name}};
        my $result = syscall(shift @call, @call);
        print "$name " . ($result >= 0 ? 'works' : $! + 0) . "\n";
      }`
    expect(await run('perl', ['-e', script])).toBe(
      'attach 1\ncut 1\ndescriptor 38\nread 1\nseize 1\nwrite 1\n',
    )
  })

  test.skipIf(!hasPerl)('a child process can be traced, and its memory read', async () => {
    const script = `use strict; my $text = 'a text that is found in both'; my $room = '-' x 28;
      my $at = unpack('Q', pack('P', $text)); my $to = unpack('Q', pack('P', $room));
      my $child = fork // die; if ($child == 0) { sleep 100; exit }
      syscall(310, $child, pack('QQ', $to, 28), 1, pack('QQ', $at, 28), 1, 0) == 28 or die "read $!";
      syscall(101, 16, $child, 0, 0) == 0 or die "attach $!";
      waitpid($child, 0) == $child or die "wait $!"; kill 9, $child; print $room`
    expect(await run('perl', ['-e', script])).toBe('a text that is found in both')
  })

  const debuggers = [
    ['strace', ['-f', '-o', '/dev/null', 'sh', '-c', 'echo debugged']],
    ['gdb', ['-batch', '-ex', 'run', '--args', '/bin/echo', 'debugged']],
  ] as const
  const installed = debuggers.filter(([program]) => existsSync(`/usr/bin/${program}`))
  test.each(installed)('%s works', async (program, args) => {
    expect(await run(program, args)).toContain('debugged\n')
  })

  test('there is no terminal, no /sys, and only harmless devices', async () => {
    const script = `(exec 3<> /dev/tty) 2> /dev/null && echo terminal
      ls -d /sys 2> /dev/null
      find /dev -type b -o -type c | sort | tr '\\n' ' '`
    const devices = (await shell(script)).trim().split(' ')
    const harmless = /^\/dev\/(null|zero|full|u?random|tty|ptmx|pts\/ptmx)$/
    expect(devices.filter((device) => !harmless.test(device))).toEqual([])
  })

  test.skipIf(!hasPerl)('keyrings, io_uring and other dangerous calls are denied', async () => {
    const script = `use strict; my $zero = "\\0" x 256;
      my %calls = ('add_key' => [248, 'user', 'a', 'b', 1, -3], 'request_key' => [249, 'user', 'a', 0, 0],
        'keyctl' => [250, 0, -3, 0], 'io_uring_setup' => [425, 4, $zero], 'bpf' => [321, 0, $zero, 72],
        'userfaultfd' => [323, 0], 'perf_event_open' => [298, $zero, 0, -1, -1, 0],
        'openat2' => [437, -100, 'x', $zero, 24], 'syslog' => [103, 10, 0, 0], 'x32' => [0x40000000 + 39],
        'unshare' => [272, 0x10000000], 'typing' => [16, 0, 0x5412, 'x'], 'chroot' => [161, '/tmp'],
        'mount' => [165, 'a', '/tmp', 'tmpfs', 0, 0], 'setns' => [308, 0, 0], 'reboot' => [169, 0, 0, 0, 0],
        'device' => [133, 'device', 0020666, 0x103], 'vsock' => [41, 40, 1, 0],
        'packet' => [41, 17, 3, 0], 'alg' => [41, 38, 5, 0], 'bluetooth' => [41, 31, 3, 1]);
      for my $name (sort keys %calls) {
        my @call = @{$calls{$name}};
        my $result = syscall(shift @call, @call);
        print "$name\\n" if $result >= 0;
      }
      print "end\\n"`
    expect(await run('perl', ['-e', script])).toBe('end\n')
  })

  test.skipIf(!hasPerl)('no setuid or setgid file can be created', async () => {
    const workspace = await newFolder(identity)
    const script = `use strict; my $w = 'file'; open(my $f, '>', $w); close $f;
      sub call { my @call = @_; return syscall(shift @call, @call) }
      chmod 04755, $w; open($f, '<', $w); call(91, fileno($f), 04755); call(268, -100, $w, 02755);
      call(452, -100, $w, 06755, 0); call(85, 'creat', 06755); call(2, 'open', 0x41, 06755);
      call(257, -100, 'openat', 0x41, 06755); call(133, 'mknod', 0106755, 0);
      call(259, -100, 'mknodat', 0106755, 0); call(2, 'plain', 0x41, 0755); chmod 0700, $w;
      call(2, $w, 0, 06755) >= 0 or die 'reading'; print 'end'`
    const commands = [{ program: 'perl', args: ['-e', script], timeoutMs: 30_000 }]
    const { results } = await drive(identity, { place: { workspace }, commands })
    expect(results[0]).toMatchObject({ stdout: 'end', exitCode: 0 })
    const names = ['file', 'creat', 'open', 'openat', 'mknod', 'mknodat', 'plain']
    const modes = names.map(
      (name) => lstatSync(join(workspace, name), { throwIfNoEntry: false })?.mode,
    )
    expect(modes.map((mode) => mode && mode & 0o7777)).toEqual([
      0o700,
      ...Array.from({ length: 5 }, () => undefined),
      0o755,
    ])
  })
})
