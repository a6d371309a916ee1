export function seconds(ms: number): string {
  const whole = Math.round(ms / 1_000);
  return whole < 120 ? `${whole} s` : `${Math.round(whole / 60)} min`;
}

export const moment = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
