/** Sounds, synthesised in the browser: the player's turn, dice, combat. Silent unless the setting is on. */

import { settings } from "./settings.svelte";

export type Sound = "turn" | "dice" | "combat";

let context: AudioContext | null = null;

/** Play a sound. Browsers stay silent until the player has clicked or typed once. */
export function play(sound: Sound): void {
  if (!settings.sound || document.hidden) return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") void context.resume();
    SOUNDS[sound](context, context.currentTime + 0.02);
  } catch {
    // A device without sound is played without it.
  }
}

const SOUNDS: Record<Sound, (audio: AudioContext, at: number) => void> = {
  turn: (audio, at) => {
    tone(audio, at, 587, 587, 0.5, 0.1);
    tone(audio, at + 0.16, 880, 880, 0.8, 0.1);
  },
  dice: (audio, at) => [0, 0.07, 0.12, 0.2].forEach((wait, i) => noise(audio, at + wait, 0.035, 2600 - 300 * i, 0.18 - 0.03 * i)),
  combat: (audio, at) => {
    tone(audio, at, 130, 42, 0.5, 0.35);
    noise(audio, at, 0.4, 420, 0.3);
  },
};

/** A tone that slides from one pitch (Hz) to another and fades, in seconds. */
function tone(audio: AudioContext, at: number, from: number, to: number, seconds: number, volume: number): void {
  const source = audio.createOscillator();
  source.frequency.setValueAtTime(from, at);
  source.frequency.exponentialRampToValueAtTime(to, at + seconds);
  source.connect(fading(audio, at, seconds, volume));
  source.start(at);
  source.stop(at + seconds);
}

/** A burst of noise around a pitch. */
function noise(audio: AudioContext, at: number, seconds: number, pitch: number, volume: number): void {
  const length = Math.ceil(audio.sampleRate * seconds);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) samples[i] = Math.random() * 2 - 1;
  const source = audio.createBufferSource();
  const filter = audio.createBiquadFilter();
  source.buffer = buffer;
  filter.type = "lowpass";
  filter.frequency.value = pitch;
  source.connect(filter).connect(fading(audio, at, seconds, volume));
  source.start(at);
}

function fading(audio: AudioContext, at: number, seconds: number, volume: number): GainNode {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  gain.connect(audio.destination);
  return gain;
}
