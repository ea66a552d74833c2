/** Returns the CPU time that this thread has used, in milliseconds: other programs of a busy machine do not add to it. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
