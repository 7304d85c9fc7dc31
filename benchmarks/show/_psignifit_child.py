"""Fit counts of answers with psignifit, in its own environment: JSON in on stdin, JSON out on stdout."""

import json
import sys
import warnings

import numpy as np
import psignifit

warnings.simplefilter("ignore")


def fitted(levels: list[float], shown: int, right: list[int]) -> dict[str, float]:
    """Fit a Weibull function of 2AFC answers: threshold, its 95 % interval, lapses, just noticeable difference."""
    counts = np.stack([np.log(levels), right, np.full(len(levels), shown)], axis=1)
    found = psignifit.psignifit(
        counts, experiment_type="2AFC", sigmoid="weibull", fixed_parameters={"eta": 0.0}, estimate_type="MAP"
    )
    low, high = found.confidence_intervals["threshold"]["0.95"]
    jnd = float(np.ravel(found.threshold(0.75, return_ci=False))[0])
    return {
        "threshold": float(np.exp(found.parameter_estimate["threshold"])),
        "low": float(np.exp(low)),
        "high": float(np.exp(high)),
        "lapse": float(found.parameter_estimate["lambda"]),
        "jnd": float(np.exp(jnd)),
    }


if __name__ == "__main__":
    print(json.dumps([fitted(**one) for one in json.load(sys.stdin)]))
